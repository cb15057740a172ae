import * as fc from '../../property.ts';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { actions, back, type Given, ownStrategy, step } from './model.ts';

const NODES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];

/** A pod of a simulated cluster: its node, its flags (model.ts), and in which round it becomes ready. */
interface Simulated {
  node: string;
  flags: string;
  readyAt: number;
}

const textOf = (pods: readonly Simulated[], round: number): string =>
  pods.map(({ node, flags, readyAt }) => `${node}${flags}${readyAt > round ? '!' : ''}`).join(' ');

/** The pods after one reconcile. The second pod of a node is named by a `b` (model.ts). */
function after(pods: readonly Simulated[], acts: readonly string[], round: number): Simulated[] {
  const names = new Set<string>();
  const next = pods.flatMap((pod): Simulated[] => {
    const name = names.has(pod.node) ? `${pod.node}b` : pod.node;
    names.add(name);
    if (acts.includes(`delete ${name}`)) return [];
    if (acts.includes(`drain ${name}`)) return [{ ...pod, flags: 'd' }];
    if (acts.includes(`update in place ${name}`)) return [{ ...pod, flags: 'ng', readyAt: round + 2 }];
    return [pod];
  });
  for (const act of acts) {
    const [, node = '', side = ''] = /^create (n[0-9]+)@(.*)$/.exec(act) ?? [];
    if (node !== '') next.push({ node, flags: `${side === 'new' ? 'n' : ''}gy`, readyAt: round + 2 });
  }
  return next;
}

const unavailable = (pods: readonly Simulated[], round: number): number =>
  NODES.filter(
    (node) => !pods.some((pod) => pod.node === node && pod.readyAt <= round && !pod.flags.includes('d')),
  ).length;
const taken = (pods: readonly Simulated[]): number =>
  NODES.filter((node) => pods.some((pod) => pod.node === node && pod.flags.includes('n'))).length;

const standard: JsonObject = { maxUnavailable: 2 };
const surging: JsonObject = { maxUnavailable: 0, maxSurge: 2 };
/** A label that holds the deletion of a pod. */
const KEPT = { 'example.com/keep': 'yes' };
const HOOK: JsonObject = { lifecycle: { preDelete: { labelsHandler: KEPT } } };
const inPlace: JsonObject = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 2 };

describe('a whole update', () => {
  test.each<[string, JsonObject, number, Envelope]>([
    ['Standard, with its own strategy', standard, 2, ownStrategy()],
    ['Standard, under a plan', standard, 2, step(6)],
    ['surge, with its own strategy', surging, 0, ownStrategy()],
    ['surge, under a plan', surging, 0, step(6)],
    ['in place, with its own strategy', inPlace, 2, ownStrategy()],
    ['in place, under a plan', inPlace, 2, step(6)],
    ['Standard, half of the nodes', standard, 2, step(3)],
    ['surge, half of the nodes', surging, 0, step(3)],
    ['in place, half of the nodes', inPlace, 2, step(3)],
  ])('%s: ends, within the limits', (_what, rolling, most, envelope) => {
    let pods = NODES.map((node): Simulated => ({ node, flags: 'g', readyAt: 0 }));
    const wanted = envelope.allowed === 'unbounded' ? 6 : envelope.allowed;
    let round = 1;
    for (; round < 60; round++) {
      const acts = actions({ nodes: NODES.join(' '), pods: textOf(pods, round), rolling }, envelope);
      pods = after(pods, acts, round);
      expect(unavailable(pods, round)).toBeLessThanOrEqual(most);
      expect(taken(pods)).toBeLessThanOrEqual(wanted);
      if (acts.length === 0 && pods.every(({ readyAt }) => readyAt <= round)) break;
    }
    expect(taken(pods)).toBe(wanted);
    expect(pods).toHaveLength(6);
    expect(round).toBeLessThan(30);
  });
});

const oneNode = fc.array(
  fc.constantFrom('', 'n', 'm', '!', 'n!', 't', 'nt', 'f', 'p', 'np', 'u', 'ng', 'gd', 'g', 'ngi'),
  { maxLength: 2 },
);
const worlds = fc.record({
  pods: fc.array(oneNode, { minLength: 6, maxLength: 6 }),
  taints: fc.array(fc.constantFrom('', '', '', '!', 'x', 'd', 'l'), { minLength: 6, maxLength: 6 }),
  rolling: fc.constantFrom(standard, surging, inPlace, { ...standard, partition: 2 }),
  allowed: fc.integer({ min: 0, max: 6 }),
  moving: fc.boolean(),
});

test('whatever the pods are, a plan is never exceeded, and nothing is done twice', () => {
  fc.assert(
    fc.property(worlds, ({ pods, taints, rolling, allowed, moving }) => {
      const given: Given = {
        nodes: NODES.map((node, index) => `${node}${taints[index] ?? ''}`).join(' '),
        pods: NODES.flatMap((node, index) => (pods[index] ?? []).map((flags) => `${node}${flags}`)).join(' '),
        rolling,
      };
      const acts = actions(given, step(allowed, { moving }));
      const before = NODES.filter((_, index) => pods[index]?.some((flags) => flags.includes('n')) === true);
      const made = acts.flatMap((act) => /^create (n[0-9]+)@new$/.exec(act)?.[1] ?? []);
      const changed = acts.flatMap((act) => /^update in place (n[0-9]+)b?$/.exec(act)?.[1] ?? []);
      const now = new Set([...before, ...made, ...changed]);
      expect(now.size).toBeLessThanOrEqual(Math.max(allowed, before.length));
      const about = acts.map((act) => act.replace(/^set .* (?=n)/, 'set ').replace(/@.*/, ''));
      expect(new Set(about).size).toBe(about.length);
      const written = acts.filter((act) => !act.startsWith('create')).map((act) => act.split(' ').at(-1));
      expect(new Set(written).size).toBe(written.length);
    }),
    { numRuns: 300 },
  );
});

test('with surge no more nodes have an extra pod than the limit says, whatever becomes of the deletions', () => {
  const flags = fc.constantFrom('', 'n', '!', 'n!', 't', 'nt', '~', 'n~');
  const pods = fc.array(fc.array(flags, { minLength: 1, maxLength: 2 }), { minLength: 6, maxLength: 6 });
  const specs = fc.constantFrom<JsonObject>({}, { burstReplicas: 1 }, { minReadySeconds: 5 }, HOOK);
  fc.assert(
    fc.property(pods, specs, fc.boolean(), (each, spec, isBack) => {
      const given: Given = {
        nodes: NODES.join(' '),
        pods: NODES.flatMap((node, n) => (each[n] ?? []).map((flag) => `${node}${flag}`)).join(' '),
        labels: Object.fromEntries(NODES.flatMap((node) => [node, `${node}b`]).map((name) => [name, KEPT])),
        rolling: surging,
        spec,
        ...(isBack && { live: 'old' as const }),
      };
      const made = actions(given, isBack ? back() : step(6)).flatMap(
        (act) => /^create (n[0-9]+)@/.exec(act)?.[1] ?? [],
      );
      const isGone = (flag: string): boolean => flag.includes('t');
      const isAvailable = (flag: string): boolean =>
        !/[!t]/.test(flag) && !(flag.includes('~') && spec['minReadySeconds'] !== undefined);
      // Nothing is lost where the old pod is not available: that costs nothing.
      const begun = NODES.filter((node, n) => made.includes(node) && each[n]?.some(isAvailable) === true);
      const had = NODES.filter((_, n) => each[n]?.filter((flag) => !isGone(flag)).length === 2);
      if (begun.length > 0) expect(begun.length + had.length).toBeLessThanOrEqual(2);
    }),
    { numRuns: 300 },
  );
});
