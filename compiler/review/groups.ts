import { areShown, isAutoscaled, rolloutSize } from '../../semantics/kinds/git-units.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isOfIdleBatches } from '../diagnostics/shared.ts';
import { movementOf } from '../forecast/claims.ts';
import { gatesOf, sum } from '../forecast/gates.ts';
import { type Prediction, predictionOf } from '../forecast/prediction.ts';
import type { ChangeAtOnce } from '../plan/at-once.ts';
import type { Change } from '../plan/change.ts';
import { atOnceDetails, atOnceMark, atOnceText } from '../render/at-once.ts';
import { type Mark, markOf, movingCount, settingsOf } from '../render/change-text.ts';
import { earlierImages } from '../render/earlier-text.ts';
import { isBlocked } from '../render/limits-text.ts';
import { byText } from '../text/order.ts';
import { contentAtOnce, contentOf } from './content.ts';
import { compareGroups, type Effect, type Risk } from './order.ts';
import { deletionNotes, phraseOf, settingNotes } from './phrase.ts';
import { type CommonPlan, planText } from './plan-text.ts';
import { changesPods, effectOf, namedPods, risksOf } from './risks.ts';

/** Targets whose changes are the same but for their names and sizes: a reviewer decides once. */
export interface Group {
  kind: string;
  mark: Mark;
  /** What is dangerous about each of them, the most dangerous first. */
  risks: readonly Risk[];
  effect: Effect;
  /** What happens to each of them, as a phrase. */
  what: string;
  /** What that depends on and what else happens, as clauses. */
  notes: readonly string[];
  /** How many units of all of them change, come or go; undefined: git does not know it for each. */
  units: { count: number; nouns: UnitNouns } | undefined;
  /** The fields that differ, with values where they may be shown. */
  fields: readonly ClassifiedField[];
  /** The plan that each of them gets; undefined: it needs none. */
  plan: GroupPlan | undefined;
  /** The warnings of the first of them, one of each code; the others have warnings of the same codes. */
  warnings: readonly Pick<Diagnostic, 'code' | 'message'>[];
  /** Sorted by namespace and name. */
  members: readonly Member[];
}

/** What the plans of a group have in common. */
export interface GroupPlan extends CommonPlan, ShownPlan {}

/** What outputs show of it. */
export interface ShownPlan {
  /** The steps in one line. */
  text: string;
  /** How many times a person has to agree, for each target. */
  approvals: number;
  /** How long the longest of them takes at least, approvals aside, milliseconds. */
  leastMs: number;
}

/** A group as outputs show it, also one that was read from JSON. */
export interface ShownGroup extends Omit<Group, 'plan' | 'warnings'> {
  plan: ShownPlan | undefined;
  warnings: readonly { code: string; message: string }[];
}

export interface Member {
  /** Group, kind, namespace and name. */
  id: string;
  namespace: string | undefined;
  name: string;
}

/** What a run found, as far as groups show it. */
export interface Reviewed {
  changes: readonly Change[];
  atOnce: readonly ChangeAtOnce[];
  /** Diagnostics by target ID. */
  byTarget: ReadonlyMap<string, readonly Diagnostic[]>;
}

/** Up to this many changes are shown one by one. */
const MOST_SINGLE = 20;

/** Whether runs together have more changes than people read one by one. */
export function areMany(...runs: readonly Pick<Reviewed, 'changes' | 'atOnce'>[]): boolean {
  const counts = runs.map(
    ({ changes, atOnce }) => changes.filter(({ action }) => action !== 'Unchanged').length + atOnce.length,
  );
  return sum(counts) > MOST_SINGLE;
}

/**
 * The changed targets of a run, and the changed objects that are reconciled at once, each in exactly one group. The riskiest group
 * comes first (`compareGroups`). The result does not depend on the order of the input.
 */
export function groupsOf({ changes, atOnce, byTarget }: Reviewed): Group[] {
  const entries = [
    ...changes
      .filter(({ action }) => action !== 'Unchanged')
      .map((change) => entryOf(change, byTarget.get(change.id) ?? [])),
    ...atOnce.map(entryAtOnce),
  ].sort((a, b) => byMember(a.member, b.member));
  const byKey = new Map<string, Entry[]>();
  for (const entry of entries) {
    const alike = byKey.get(entry.key);
    if (alike === undefined) byKey.set(entry.key, [entry]);
    else alike.push(entry);
  }
  return [...byKey.values()].map(groupOf).sort(compareGroups);
}

/** A changed target with what it has in common with others. */
interface Entry {
  /** Equal for changes that differ in their names and sizes alone. */
  key: string;
  member: Member;
  group: Omit<Group, 'members' | 'units'>;
  units: Group['units'];
}

function groupOf(entries: Entry[]): Group {
  const [first] = entries as [Entry];
  const { group } = first;
  const known = entries.flatMap(({ units }) => units ?? []);
  const [one] = known;
  const units =
    one === undefined || known.length < entries.length
      ? undefined
      : { count: sum(known.map(({ count }) => count)), nouns: one.nouns };
  const leastMs = entries.reduce((most, entry) => Math.max(most, entry.group.plan?.leastMs ?? 0), 0);
  const members = entries.map(({ member }) => member);
  return { ...group, plan: group.plan && { ...group.plan, leastMs }, units, members };
}

function entryOf(change: Change, diagnostics: readonly Diagnostic[]): Entry {
  const prediction = predictionOf(change);
  const warnings = warningsOf(diagnostics);
  const { id, type, kind, namespace, name } = change;
  const { what, notes } = phraseOf(change);
  const settings = settingsOf(change);
  const group = {
    ...{ kind, what, warnings },
    notes: [
      ...deletionNotes(change, namedPods(change)),
      ...notes,
      ...earlierNotes(change, prediction),
      ...(isStuck(change, prediction) ? ['a budget in git lets none of its pods be updated'] : []),
      ...settingNotes(change, settings),
    ],
    mark: markOf(change),
    risks: risksOf(change, prediction, warnings.length > 0),
    effect: effectOf(change, prediction),
    fields: change.classification?.fields ?? [],
    plan: planOf(change, prediction),
  };
  return {
    key: keyOf(type.id, group, contentOf(change, settings)),
    member: { id, namespace, name },
    group,
    units: unitsOf(change, prediction),
  };
}

/** Which images these are differs between targets that a reviewer decides on at once; each forecast names its own. */
function earlierNotes(change: Change, prediction: Prediction | undefined): string[] {
  const moves = prediction?.of === 'updates' && changesPods(change, prediction.forecast);
  return moves && earlierImages(change) !== undefined ? ['pods may still run images of earlier changes'] : [];
}

function isStuck(change: Change, prediction: Prediction | undefined): boolean {
  return prediction?.of === 'updates' && isBlocked(change, prediction.forecast);
}

function entryAtOnce(change: ChangeAtOnce): Entry {
  const { id, type, kind, namespace, name } = change.manifest;
  const group = {
    kind,
    mark: atOnceMark(change),
    risks: change.action === 'Delete' ? (['Deletes'] as const) : [],
    effect: EFFECTS_AT_ONCE[change.action],
    what: atOnceText(change),
    notes: atOnceDetails(change),
    fields: [],
    plan: undefined,
    warnings: [],
  };
  const key = keyOf(type.id, group, contentAtOnce(change));
  return { key, member: { id, namespace, name }, group, units: undefined };
}

const EFFECTS_AT_ONCE: Record<ChangeAtOnce['action'], Effect> = {
  Create: 'new',
  Update: 'reconciled at once',
  Delete: 'removed',
};

/**
 * What members have in common. How long a plan takes depends on the size of its target, and messages name theirs.
 *
 * @param content identifies what the group does not show
 */
function keyOf(
  id: Change['type']['id'],
  { plan, warnings, ...group }: Entry['group'],
  content: string,
): string {
  const { leastMs: _, ...common } = plan ?? { leastMs: 0 };
  return canonicalJson([id, group, common, warnings.map(({ code }) => code), content]);
}

/** One of each code, sorted. What every target of a small size has, a run says once for all of them. */
function warningsOf(diagnostics: readonly Diagnostic[]): Group['warnings'] {
  const byCode = new Map<string, Group['warnings'][number]>();
  for (const found of diagnostics)
    if (!isOfIdleBatches(found) && !byCode.has(found.code))
      byCode.set(found.code, { code: found.code, message: found.message });
  return [...byCode.values()].sort((a, b) => byText(a.code, b.code));
}

function planOf({ plan, stepsFrom }: Change, prediction: Prediction | undefined): GroupPlan | undefined {
  if (plan === undefined) return undefined;
  const { steps, waves = [], after = [], group } = plan.spec;
  const common = { steps, waves, stepsFrom, after, queue: group };
  return {
    ...common,
    text: planText(common),
    approvals: gatesOf(steps).approvals.length,
    leastMs: leastMsOf(prediction),
  };
}

function leastMsOf(prediction: Prediction | undefined): number {
  switch (prediction?.of) {
    case undefined:
      return 0;
    case 'updates': {
      const { leastMs, soakMs, checksMs } = prediction.forecast;
      return leastMs + soakMs + checksMs;
    }
    case 'run':
    case 'ticks':
    case 'newPods': {
      const { soakMs, checksMs } = prediction.forecast;
      return soakMs + checksMs;
    }
  }
}

/** How many units change, come or go, where any does and the manifests have the number. */
function unitsOf(change: Change, prediction: Prediction | undefined): Group['units'] {
  const { action, base, head, handover, type } = change;
  const state = action === 'Delete' ? base : head;
  if (state === undefined || handover !== undefined) return undefined;
  const { units } = state.normal;
  const size = rolloutSize(units);
  if (size === undefined || areShown(units) || isAutoscaled(units)) return undefined;
  const { nouns } = type.facts;
  if (action === 'Delete' || action === 'Create') return { count: size, nouns };
  if (prediction?.of !== 'updates' || action === 'Claims' || !changesPods(change, prediction.forecast))
    return undefined;
  // A continuation changes no unit that the bound before has let go.
  const count = action === 'Bound' ? movementOf(change, size).moving : movingCount(change, size);
  return { count, nouns };
}

function byMember(a: Member, b: Member): number {
  return byText(a.namespace ?? '', b.namespace ?? '') || byText(a.name, b.name) || byText(a.id, b.id);
}
