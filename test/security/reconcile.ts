import { staleResources } from '../../runtime/act/observed-versions.ts';
import { policyOf } from '../../semantics/policy.ts';
import { createIntern } from '../../runtime/observe/intern.ts';
import type { Json } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { advance } from '../../semantics/plan/advance.ts';
import { heldReason } from '../../semantics/plan/held.ts';
import { removableRecords, isSnapshot, parseSnapshot } from '../../semantics/plan/memory.ts';
import { planStatus } from '../../semantics/plan/plan-status.ts';
import { emptyContext } from '../../semantics/plan/rollout-context.ts';
import type { PlanObject } from '../../semantics/plan/plan-object.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { cloneSetKind } from '../../semantics/cloneset/kind.ts';

/** The inputs of one reconcile of one target. */
export interface Observed {
  target: KubeObject;
  pods: KubeObject[];
  revisions: KubeObject[];
  claims: KubeObject[];
  plans: PlanObject[];
}

/** One reconcile without its writes: everything the rules read of these objects is read. */
export function reconcile({ target, pods, revisions, claims, plans }: Observed, now: number): void {
  const intern = createIntern();
  const policy = policyOf(target, [], 'Auto');
  staleResources(revisions, [resources.Pod], () => 0);
  cloneSetKind.needs(target, revisions, []);
  const observe = cloneSetKind.observe({
    target,
    pods: pods.map((pod) => projectPod(pod as Pod, intern)),
    revisions: revisions.filter((object) => !isSnapshot(object)),
    takenNames: new Set(),
    claims,
    now,
  });
  observe.revise();
  const memory = revisions.filter(isSnapshot).flatMap((object) => parseSnapshot(object) ?? []);
  removableRecords(memory);
  const view = observe.rollout;
  const result = advance({
    view,
    plans,
    commands: [],
    memory,
    progressClock: undefined,
    inSyncSince: now,
    policy,
    context: emptyContext,
    now,
  });
  for (const write of result.writes)
    if (write.do === 'complete') observe.complete(write.hash, write.retained);
  const held = heldReason(view, result, plans);
  const decision = observe.decide(result.envelope, held, new Set(), result.refusals);
  JSON.stringify(decision);
  for (const plan of plans)
    JSON.stringify(planStatus({ view, result, plan, before: undefined, generation: 1, memory, now }));
}

const TEXTS = [
  '',
  'null',
  'true',
  '{',
  '[]',
  '{}',
  '"x"',
  '-1',
  '1e300',
  '-1e300',
  '0x10',
  ' 1 ',
  '007',
  '9'.repeat(15),
  '9'.repeat(16),
  '9'.repeat(400),
  'NaN',
  'Infinity',
  '[null]',
  '[{}]',
  '[[]]',
  '{"__proto__":null}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '9007199254740993 at h1:aa',
  '2 at h1:zz',
  '\u0000',
  'constructor',
];

const JUNK: Json[] = [
  null,
  true,
  0,
  -1,
  5,
  1e300,
  '',
  'x',
  '9'.repeat(40),
  [],
  [null],
  [5],
  {},
  { a: null },
  { a: 5 },
  { length: 3 },
  { toString: 5 },
];

/** Values for one annotation: texts of any kind, and the JSON of `seeds` with one of its parts replaced. */
export function valuesOf(seeds: readonly string[], random: () => number): () => string {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const mutate = (value: Json): Json => {
    const isLeaf = typeof value !== 'object' || value === null;
    if (isLeaf || random() < 0.25) return pick(JUNK);
    if (Array.isArray(value)) {
      if (value.length === 0) return [pick(JUNK)];
      const at = Math.floor(random() * value.length);
      return value.map((each, index) => (index === at ? mutate(each) : each));
    }
    const keys = Object.keys(value);
    if (keys.length === 0) return { main: pick(JUNK) };
    const at = pick(keys);
    return { ...value, [at]: mutate(value[at] ?? null) };
  };
  return () => {
    if (seeds.length === 0 || random() < 0.2) return pick(TEXTS);
    const seed = pick(seeds);
    try {
      return JSON.stringify(mutate(JSON.parse(seed) as Json));
    } catch {
      return pick(TEXTS);
    }
  };
}

/** The object with another value of a label or annotation. */
export function withText(
  object: KubeObject,
  where: 'labels' | 'annotations',
  key: string,
  value: string,
): KubeObject {
  const texts = { ...object.metadata[where], [key]: value };
  return { ...object, metadata: { ...object.metadata, [where]: texts } };
}
