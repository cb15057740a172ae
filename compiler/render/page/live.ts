import type { UnitNouns } from '../../../semantics/kinds/nouns.ts';
import { countText } from '../../../semantics/values/text.ts';
import { forHtml } from '../../text/escape.ts';
import { pageFrame } from './frame.ts';
import { timeline } from './timeline.ts';

/** Where a rollout stands, the most urgent first. */
export const LIVE_STATES = [
  'Failed',
  'Waits for a person',
  'Held',
  'In progress',
  'Done',
  'No plan',
] as const;
export type LiveState = (typeof LIVE_STATES)[number];

/** A step of a plan that runs. */
export interface LiveStep {
  id: string;
  what: string;
  /** `done`, `now`, `to come` and others, as `kruise status` names them. */
  state: string;
  /** Units on the new revision once it is done; undefined: it is a gate. */
  updated: number | undefined;
  /** The command that approves it. */
  command?: string | undefined;
}

/** A target as it is now. */
export interface LiveTarget {
  /** Empty: it has none. */
  namespace: string;
  kind: string;
  name: string;
  state: LiveState;
  phase: string;
  /** All counts, as a phrase; empty: none is known. */
  counts: string;
  /** Why it is where it is. */
  message: string;
  /** Undefined: it has no plan. */
  digest: string | undefined;
  steps: readonly LiveStep[];
  /** Undefined: its kind counts none. */
  units: { wanted: number; available: number; nouns: UnitNouns } | undefined;
}

const COLORS = 'Gray is the old revision, blue the new one; a ring is a gate. Steps to come are pale.';

/** The most targets that are shown with their steps; of the others the page has the names and phases. */
const MOST_TARGETS = 300;
/** Classes of steps that are drawn otherwise. */
const DRAWN = new Map([
  ['now', 'now'],
  ['to come', 'coming'],
  ['not done', 'coming'],
  ['failed', 'failed'],
  ['stopped', 'failed'],
]);

/**
 * What runs now, as one page like that of a plan: the most urgent targets first, of each its steps, and how far it is.
 *
 * @param at when it was observed, as it is printed
 * @param sha256 the hash of a text as a policy names it: `sha256-` and base64
 */
export function livePage(
  {
    targets,
    about,
    at,
    reloadsAfter,
  }: {
    targets: readonly LiveTarget[];
    /** What the page leaves out, as sentences. */
    about: readonly string[];
    at: string;
    reloadsAfter?: number | undefined;
  },
  sha256: (text: string) => string,
): string {
  let left = MOST_TARGETS;
  const sections = LIVE_STATES.flatMap((state) => {
    const members = targets.filter((target) => target.state === state);
    if (members.length === 0) return [];
    const shown = members.slice(0, left);
    left -= shown.length;
    return [sectionPart(state, members, shown)];
  });
  const counts = LIVE_STATES.flatMap((state) => {
    const count = targets.filter((target) => target.state === state).length;
    return count === 0 ? [] : [`${count} ${state.toLowerCase()}`];
  });
  const sum = counts.length === 0 ? 'There is no target.' : `${counts.join(', ')}.`;
  return pageFrame(
    { title: 'Rollouts', about: [sum, ...about, `Observed at ${at}.`], sections, reloadsAfter },
    sha256,
  );
}

function sectionPart(state: LiveState, members: readonly LiveTarget[], shown: readonly LiveTarget[]): string {
  const rest = members
    .slice(shown.length)
    .map(
      (target) =>
        `<code class="target" data-name="${dataName(target)}">${forHtml(`${nameOf(target)}: ${target.phase}`)}</code>`,
    );
  return `<section class="group${state === 'Failed' ? ' risky' : ''}" data-about="${forHtml(state.toLowerCase())}">
<h2>${state}: ${countText(members.length, 'target')}</h2>
${[...shown.map(targetPart), ...(rest.length === 0 ? [] : [`<p>And ${rest.join(' ')}</p>`])].join('\n')}
</section>`;
}

function nameOf({ namespace, kind, name }: LiveTarget): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

function dataName(target: LiveTarget): string {
  return forHtml(`${nameOf(target)} ${target.phase}`.toLowerCase());
}

function targetPart(target: LiveTarget): string {
  const { phase, counts, message, digest } = target;
  const summary = [phase, counts].filter((text) => text !== '').join(', ');
  const parts = [
    ...(message === '' ? [] : [`<p>${forHtml(message)}</p>`]),
    ...figure(target),
    ...stepTable(target),
    ...(digest === undefined ? [] : [`<p class="muted">Plan <code>${forHtml(digest)}</code></p>`]),
  ];
  return `<details class="target" data-name="${dataName(target)}"><summary><h3>${forHtml(nameOf(target))}</h3> <span class="muted">${forHtml(summary)}</span></summary>
${parts.join('\n')}
</details>`;
}

function figure({ steps, units }: LiveTarget): string[] {
  if (units === undefined || units.wanted === 0 || steps.every(({ updated }) => updated === undefined))
    return [];
  const { wanted, available, nouns } = units;
  const all = countText(wanted, nouns.unit, nouns.units);
  let updated = 0;
  const picture = timeline({
    label: `Steps: ${available} of ${all} available now`,
    total: wanted,
    steps: steps.map((step) => {
      updated = step.updated ?? updated;
      const words = `${step.id}: ${step.what}; ${step.state}; up to ${updated} of ${all} on the new revision`;
      return {
        id: step.id,
        words,
        isGate: step.updated === undefined,
        updated,
        state: DRAWN.get(step.state),
      };
    }),
    line: { at: Math.min(available, wanted), text: `${available} of ${wanted} available` },
  });
  const hasFailed = steps.some(({ state }) => DRAWN.get(state) === 'failed');
  const caption = hasFailed ? `${COLORS} Red is a step that failed or was stopped.` : COLORS;
  return [`<figure>${picture}<figcaption>${caption}</figcaption></figure>`];
}

function stepTable({ steps }: LiveTarget): string[] {
  if (steps.length === 0) return [];
  const rows = steps.map(
    ({ id, what, state, command }) =>
      `<tr><td><code>${forHtml(id)}</code></td><td class="state">${forHtml(state)}</td><td class="what">${forHtml(what)}${command === undefined ? '' : `<br><code>${forHtml(command)}</code>`}</td></tr>`,
  );
  return [
    `<div class="table"><table class="steps"><thead><tr><th scope="col">step</th><th scope="col">state</th><th scope="col">what</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
  ];
}
