import type { Batch, KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { rolloutSize, subsetsAt, subsetsOf, updatesOf } from '../../semantics/kinds/git-units.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import type { UpdateLimits } from '../../semantics/limits/window.ts';
import { partsAskedFor } from '../../semantics/plan/parts-of-wholes.ts';
import { isSameSelector } from '../../semantics/values/selector.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { limitsAt, limitsOfOwn, paceOf, unitsAfter } from '../forecast/window.ts';
import { shorten } from '../text/escape.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { areOfSameSubsets } from './batch-subsets.ts';
import { boundName, retainedUnits } from './bound.ts';
import { nameOfRule, pathOfRule, ruleIndexFor, rulesOf } from './match.ts';
import { updateOf } from './steps.ts';
import { shownName } from './target.ts';
import type { Target } from './target.ts';

/** Reports batches that can never update a further pod, whatever the target, and a last batch below 100 %. */
export function batchProblems(
  { batches = [] }: StepRule,
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const [index, batch] of batches.entries()) {
    const path = [...at, 'batches', String(index)];
    // Those of other nodes or subsets are no fewer or more.
    const isBefore = (each: Batch): boolean =>
      isSameSelector(each.nodes, batch.nodes) && areOfSameSubsets(each, batch);
    const earlier = batches.slice(0, index).findLastIndex(isBefore);
    const before = batches.slice(0, index)[earlier];
    if (!mayGrow(batch, before)) {
      const args = {
        number: index + 1,
        batch: sizeText(batch),
        ...(before === undefined ? {} : { before: { number: earlier + 1, batch: sizeText(before) } }),
      };
      found.push(diagnostic('KR4002', args, locate([...path, 'to'], 'value')));
    } else if (percentOf(batch.to) === 0) {
      const args = { to: String(batch.to), atLeast: updateOf(batch).atLeast ?? 0 };
      found.push(diagnostic('KR4011', args, locate([...path, 'to'], 'value')));
    }
    const twice = batch.subsets?.find((name, place, all) => all.indexOf(name) !== place);
    if (twice !== undefined) {
      const field = `batches[${index}].subsets`;
      const args = { field, rule: `must not name '${shorten(twice, 80)}' twice` };
      found.push(diagnostic('KR2005', args, locate([...path, 'subsets'], 'value')));
    }
    const { maxUnavailable, maxSurge } = batch.window ?? {};
    if (isZero(maxUnavailable) && isZero(maxSurge)) {
      const args = { number: index + 1, target: undefined };
      found.push(diagnostic('KR4024', args, locate([...path, 'window'], 'value')));
    }
    if (isZero(batch.parallelism)) {
      const position = locate([...path, 'parallelism'], 'value');
      found.push(diagnostic('KR4029', { number: index + 1 }, position));
    }
  }
  const isForAll = batches.at(-1)?.nodes === undefined && batches.at(-1)?.subsets === undefined;
  const last = isForAll ? batches.at(-1)?.to : undefined;
  if (last !== undefined && percentOf(last) !== 100) {
    const position = locate([...at, 'batches', String(batches.length - 1), 'to'], 'value');
    found.push(diagnostic('KR4003', { last: String(last) }, position));
  }
  return found;
}

/**
 * Whether a batch allows more pods than the one before at some number of replicas. Of two percentages, the second must be
 * larger, even if another `atLeast` makes a difference for small targets.
 */
function mayGrow(batch: Batch, before: Batch | undefined): boolean {
  const [next, previous] = [percentOf(batch.to), percentOf(before?.to)];
  if (next !== undefined && (next > 100 || (previous !== undefined && next <= previous))) return false;
  return sizesToCompare([batch, before]).some(
    (replicas) =>
      allowedPods(updateOf(batch), replicas) > (before ? allowedPods(updateOf(before), replicas) : 0),
  );
}

/** The most replicas that a target can have. */
const MOST = 2_147_483_647;

/**
 * The numbers of replicas at which two batches differ if they ever do: a count exceeds a percentage where it is the number
 * of replicas itself, and a percentage exceeds a count of a large target.
 */
function sizesToCompare(batches: readonly (Batch | undefined)[]): number[] {
  const counts = batches.flatMap((batch) => [batch?.to, batch?.atLeast]);
  const near = counts.flatMap((count) => (typeof count === 'number' ? [count - 1, count, count + 1] : []));
  return [1, 2, 3, ...near, MOST].filter((replicas) => replicas >= 1 && replicas <= MOST);
}

function sizeText({ to, atLeast }: Batch): string {
  return typeof to === 'number' || (atLeast ?? 1) <= 1 ? String(to) : `${to}, at least ${atLeast}`;
}

function percentOf(to: number | string | undefined): number | undefined {
  return typeof to === 'string' ? Number(to.slice(0, -1)) : undefined;
}

function isZero(limit: number | string | undefined): boolean {
  return limit === 0 || percentOf(limit) === 0;
}

/** Batches of a rule that update no further pod of some targets, which have as many replicas. */
interface Idle {
  at: readonly string[];
  batches: readonly number[];
  replicas: number;
  retained: number;
  bound: string;
  targets: Target[];
}

/** What the rules of batches read of a target. */
type Read = Pick<Target, 'manifest' | 'normal'>;

/** How many units the rules are about; undefined: that is not in git, and nothing says how many these are. */
function unitsOf({ assume }: KruiseConfig, { normal: { units } }: Read): number | undefined {
  switch (units.of) {
    case 'replicas':
      return units.n;
    case 'selected':
      return assume?.pods ?? units.shown;
    case 'subsets':
      return rolloutSize(units);
    case 'nodes':
      return units.shown;
    case 'run':
    case 'ticks':
      return 0;
  }
}

/** So many targets are named. */
const MOST_NAMED = 3;

/** Reports batches that update no further pod of a target: each once, with all targets of as many replicas. */
export function idleBatches(config: KruiseConfig, targets: Iterable<Target>, locate: Locate): Diagnostic[] {
  const found = new Map<string, Idle>();
  for (const target of targets) {
    const idle = idleFor(config, target);
    if (idle === undefined) continue;
    const key = JSON.stringify({ ...idle, targets: [] });
    const known = found.get(key);
    if (known === undefined) found.set(key, idle);
    else known.targets.push(target);
  }
  return [...found.values()].map(({ at, batches, replicas, retained, bound, targets: all }) => {
    const [first = 0] = batches;
    const named = all.slice(0, all.length > MOST_NAMED + 1 ? MOST_NAMED : all.length).map(nameOf);
    const args = {
      targets: { named, more: all.length - named.length },
      batches: batches.length === 1 ? `batch ${first} allows` : `batches ${batches.join(', ')} allow`,
      ...{ replicas, retained, bound, isFirst: batches.join() === '1' },
    };
    return diagnostic('KR4010', args, locate([...at, String(first - 1), 'to'], 'value'));
  });
}

function idleFor(config: KruiseConfig, target: Target): Idle | undefined {
  const rule = ruleIndexFor(config, target.manifest);
  const replicas = unitsOf(config, target);
  if (rule === undefined || replicas === undefined || replicas === 0) return undefined;
  const { batches = [] } = rulesOf(config)[rule] ?? {};
  const at = [...pathOfRule(config, rule), 'batches'];
  const retained = retainedUnits(target.normal, replicas);
  // With no pod to update at all, the partition has its own diagnostic.
  if (retained === replicas) return undefined;
  // How many nodes have its labels, nobody knows.
  const known = batches.map((batch) =>
    batch.nodes === undefined ? { id: '', update: updateOf(batch) } : { id: '' },
  );
  const after = unitsAfter(known, paceOf(target), replicas);
  let before: number | undefined;
  const idle = batches.flatMap((batch, index) => {
    if (batch.nodes !== undefined) return [];
    const pods = Math.min(after[index] ?? 0, replicas - retained);
    // The last batch completes the rollout after the gates before it, even if no pod is left to update.
    // Of all units a first batch always has some; of one subset there may be none.
    const least = before ?? (batch.subsets === undefined ? undefined : 0);
    const isIdle = least !== undefined && index < batches.length - 1 && pods <= least;
    before = pods;
    return isIdle ? [index + 1] : [];
  });
  return idle.length === 0
    ? undefined
    : { ...{ at, batches: idle, replicas, retained }, bound: boundName(target.normal), targets: [target] };
}

/**
 * Reports windows that never let a pod of a target be updated: each once, for the first of its targets. An unchanged target
 * counts, too: its next change could not be rolled out.
 */
export function stuckBatches(config: KruiseConfig, targets: Iterable<Read>, locate: Locate): Diagnostic[] {
  const found = new Map<string, { at: string[]; number: number; first: Read; more: number }>();
  for (const target of targets) {
    const rule = ruleIndexFor(config, target.manifest);
    if (rule === undefined) continue;
    for (const index of stuckIn(rulesOf(config)[rule]?.batches ?? [], target, unitsOf(config, target))) {
      const at = [...pathOfRule(config, rule), 'batches', String(index), 'window'];
      const known = found.get(at.join(' '));
      if (known === undefined) found.set(at.join(' '), { at, number: index + 1, first: target, more: 0 });
      else known.more += 1;
    }
  }
  return [...found.values()].map(({ at, number, first, more }) => {
    const { maxUnavailable = 0, maxSurge = 0 } = updatesOf(first.normal.units) ?? {};
    const replicas = unitsOf(config, first) ?? rolloutSize(first.normal.units) ?? 0;
    const limits = `maxUnavailable ${maxUnavailable} and maxSurge ${maxSurge}`;
    const target = { name: nameOf(first), limits, replicas, more };
    return diagnostic('KR4024', { number, target }, locate(at, 'value'));
  });
}

/** The batches that never update a pod of a target. Where its limits alone update none, the manifest has the diagnostic. */
function stuckIn(
  batches: readonly Batch[],
  { normal, manifest }: Read,
  replicas = rolloutSize(normal.units) ?? 0,
): number[] {
  const own = updatesOf(normal.units);
  if (own === undefined) return [];
  const pace = { normal, limits: manifest.type.limits };
  const isStuck = ({ maxUnavailable, maxSurge }: UpdateLimits): boolean => maxUnavailable < 1 && maxSurge < 1;
  if (replicas === 0 || own.onDelete || isStuck(limitsOfOwn(pace, replicas))) return [];
  return batches.flatMap((batch, index) => {
    const { window, subsets } = batch;
    const isZeroAnyway = isZero(window?.maxUnavailable) && isZero(window?.maxSurge);
    const isOfNone = subsetsAt(normal.units, replicas)?.every(
      ({ name, n }) => n === 0 || subsets?.includes(name) === false,
    );
    if (window === undefined || isZeroAnyway || isOfNone === true) return [];
    return isStuck(limitsAt({ id: '', update: updateOf(batch) }, pace, replicas)) ? [index] : [];
  });
}

const OF_WHOLES = {
  why: 'its pods are updated as their own strategy says',
  help: 'write the limit in the template, and leave it out here',
};

/**
 * Reports what batches ask of a target whose subsets are all updated as a whole: a part of one, or another limit of how many pods change
 * at a time. Each once, for the first of its targets.
 */
export function partsOfWholes(config: KruiseConfig, targets: Iterable<Read>, locate: Locate): Diagnostic[] {
  const found = new Map<number, { first: Read; names: readonly string[]; more: number }>();
  for (const target of targets) {
    const rule = ruleIndexFor(config, target.manifest);
    const subsets = subsetsOf(target.normal.units) ?? [];
    const isWhole = subsets.length > 0 && subsets.every(({ steps }) => steps === 'whole');
    if (rule === undefined || !isWhole) continue;
    const known = found.get(rule);
    if (known !== undefined) known.more += 1;
    else found.set(rule, { first: target, names: subsets.map(({ name }) => name), more: 0 });
  }
  return [...found].flatMap(([rule, { first, names, more }]) =>
    (rulesOf(config)[rule]?.batches ?? []).flatMap(({ to, subsets = names.slice(0, 1), window }, index) => {
      const at = [...pathOfRule(config, rule), 'batches', String(index)];
      const args = { number: index + 1, target: nameOf(first), more };
      const ofPart = { ...args, to: String(to), example: subsets };
      const ofWindow = { ...args, field: 'window', ...OF_WHOLES };
      return partsAskedFor({ to, window }).map((field) => {
        switch (field) {
          case 'to':
            return diagnostic('KR4047', ofPart, locate([...at, 'to'], 'value'));
          case 'window':
            return diagnostic('KR4027', ofWindow, locate([...at, 'window'], 'key'));
        }
      });
    }),
  );
}

function nameOf({ manifest }: Read): string {
  return `${manifest.kind} ${shownName(manifest)}`;
}

/** Counts from here on are suspected to be percentages. Smaller ones are common for a first batch. */
const LEAST_SUSPECT = 5;

/** Reports counts that no target of their rule reaches, and that would make sense as percentages. */
export function countsLikePercentages(
  config: KruiseConfig,
  targets: Iterable<Read>,
  locate: Locate,
): Diagnostic[] {
  const most = new Map<number, number>();
  for (const target of targets) {
    const index = ruleIndexFor(config, target.manifest);
    // Where the number of units is not known, any count may be meant.
    const units = unitsOf(config, target) ?? Infinity;
    if (index !== undefined) most.set(index, Math.max(most.get(index) ?? 0, units));
  }
  return rulesOf(config).flatMap(({ batches = [] }, index) => {
    const replicas = most.get(index) ?? 0;
    const number = batches.findIndex(
      ({ to, nodes, subsets }) =>
        nodes === undefined &&
        subsets === undefined &&
        typeof to === 'number' &&
        to >= LEAST_SUSPECT &&
        to <= 100 &&
        to > replicas,
    );
    const to = batches[number]?.to;
    // A count in the last batch has its own diagnostic.
    if (to === undefined || replicas === 0 || number === batches.length - 1) return [];
    const args = { number: number + 1, to: String(to), rule: nameOfRule(config, index), replicas };
    const position = locate([...pathOfRule(config, index), 'batches', String(number), 'to'], 'value');
    return [diagnostic('KR4025', args, position)];
  });
}
