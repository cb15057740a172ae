import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isPlanned, type StandingKind } from '../../semantics/kinds/kind.ts';
import type { LoweringIntoTemplate, Neighbors } from '../../semantics/kinds/lowering.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { nativeTemplate } from '../load/gates.ts';
import { withTemplate } from '../load/pod-templates.ts';
import { type NamedObject, neighborsIn } from './neighbors.ts';
import { idOfNames, type Names, textOfNames, type Verdict } from './verdict.ts';

/** A workload of Kubernetes with more in its template. */
export interface PlacedWorkload {
  object: JsonObject;
  /** The object that this comes from, as its names. */
  from: string;
}

/** What becomes of all objects. */
export interface Judged {
  /** Of each object of OpenKruise. */
  verdicts: ReadonlyMap<JsonObject, Verdict>;
  /** Workloads of Kubernetes whose template another object became a part of. */
  workloads: ReadonlyMap<JsonObject, PlacedWorkload>;
}

type Judge = (object: KubeObject, names: Names, around: Neighbors) => Verdict | undefined;

/**
 * The verdicts about all objects. One that becomes a part of a template does so where the workload needs no runtime either, and the workload
 * is then judged with it. So neither waits for the other.
 *
 * @param built what the last build has written
 * @param judge the verdict about an object by itself
 */
export function judged(objects: readonly NamedObject[], built: readonly NamedObject[], judge: Judge): Judged {
  const neighbors = neighborsIn(objects, built);
  const verdicts = new Map<JsonObject, Verdict>();
  for (const { object, names } of objects) {
    const verdict = judge(object as KubeObject, names, neighbors(names));
    if (verdict !== undefined) verdicts.set(object, verdict);
  }
  const workloads = new Map<JsonObject, PlacedWorkload>();
  const parts = objects.flatMap((part) => {
    const kind = kindOf(part.names);
    const verdict = verdicts.get(part.object);
    if (kind === undefined || isPlanned(kind) || kind.lowering.of !== 'template') return [];
    return verdict === undefined || verdict.verdict === 'runtime'
      ? []
      : [{ part, verdict, kind, lowering: kind.lowering }];
  });
  if (parts.length === 0) return { verdicts, workloads };
  const owners = new Map<string, NamedObject[]>();
  for (const each of objects) {
    const id = idOfNames(each.names);
    owners.set(id, [...(owners.get(id) ?? []), each]);
  }
  const gone = new Set(parts.map(({ part }) => part.object));
  const others = neighborsIn(
    objects.filter(({ object }) => !gone.has(object)),
    built,
  );
  for (const { part, verdict, kind, lowering } of parts) {
    const { object, names } = part;
    const stay = (...why: string[]): void => {
      verdicts.set(object, { ...names, verdict: 'runtime', chosen: verdict.chosen, why });
    };
    const placed = inOwner(part, { kind, lowering }, owners);
    if ('why' in placed) {
      stay(...placed.why);
      continue;
    }
    const { owner, whole } = placed;
    const into = textOfNames(owner.names);
    // A workload of OpenKruise that stays creates its pods under a runtime.
    const found = verdicts.has(owner.object)
      ? judge(whole as KubeObject, owner.names, others(owner.names))
      : undefined;
    if (found?.verdict === 'runtime') {
      const isBuilt = verdicts.get(owner.object)?.verdict !== 'runtime';
      stay(isBuilt ? `with it ${into} would stay: ${found.why.join('; ')}` : `${into} stays`);
      // What it would lose but for this one is why both stay.
      if (!isBuilt) verdicts.set(owner.object, found);
      continue;
    }
    verdicts.set(object, { ...verdict, into });
    if (found === undefined) workloads.set(owner.object, { object: whole, from: textOfNames(names) });
    else verdicts.set(owner.object, found);
  }
  return { verdicts, workloads };
}

/** The workload whose pods an object places, with the object in its template; or why it cannot be there, as clauses. */
function inOwner(
  { object, names }: NamedObject,
  { kind, lowering }: { kind: StandingKind; lowering: LoweringIntoTemplate },
  owners: ReadonlyMap<string, readonly NamedObject[]>,
): { owner: NamedObject; whole: JsonObject } | { why: string[] } {
  const part = object as KubeObject;
  const spreads = kind.git.spreads(part);
  const { target } = spreads ?? {};
  if (spreads === undefined || target === undefined) return { why: ['it places no pods'] };
  const { group, name, kind: of } = target;
  const [owner, ...more] = owners.get(idOfNames({ group, kind: of, name, namespace: names.namespace })) ?? [];
  // Which of them is synced last is not known.
  if (more.length > 0) return { why: [`several manifests of ${of} ${name} are here`] };
  const template = owner && nativeTemplate(owner.object);
  if (owner === undefined || listOf(objectOf(template?.['spec'])['containers']).length === 0)
    return { why: [`no manifest of ${of} ${name} with a template is here`] };
  const own = owner.object as KubeObject;
  const whole = withTemplate(
    owner.object,
    ['spec', 'template'],
    lowering.into(objectOf(template), part, own),
  );
  return { owner, whole };
}
