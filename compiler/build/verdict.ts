import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isPlanned } from '../../semantics/kinds/kind.ts';
import type { LoweringRow, Neighbors } from '../../semantics/kinds/lowering.ts';
import { tupleId } from '../../semantics/owner.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { isObject } from '../load/identity.ts';
import { GROUPS } from '../plan/kinds.ts';
import { matches } from '../plan/match.ts';
import { shownName } from '../plan/target.ts';

/** An object as its names say it, whatever its kind is. */
export interface Names {
  group: string;
  kind: string;
  namespace: string | undefined;
  name: string;
}

/** What becomes of one object of OpenKruise. */
export type Verdict = LoweredVerdict | StayingVerdict;

interface Judged extends Names {
  /** kruise.yaml chooses it for Kubernetes. */
  chosen: boolean;
}

/** An object that is compiled. */
export interface LoweredVerdict extends Judged {
  verdict: 'exact' | 'lowered';
  losses: readonly LoweringRow[];
  /** None: it is a part of a template. */
  objects: readonly KubeObject[];
  /** The workload whose template it is a part of, as its names. */
  into?: string;
}

/** An object that stays as it is. */
interface StayingVerdict extends Judged {
  verdict: 'runtime';
  /** Clauses. */
  why: readonly string[];
}

/** The names of an object; undefined: it has none. `namespace`: of objects that name none. */
export function namesOf(object: JsonObject, namespace: string): Names | undefined {
  const { apiVersion, kind, metadata } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isObject(metadata)) return undefined;
  const { name, namespace: own } = metadata;
  if (typeof name !== 'string') return undefined;
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const isClustered = kindOf({ group, kind })?.resource.namespaced === false;
  return {
    group,
    kind,
    name,
    namespace: isClustered ? undefined : typeof own === 'string' ? own : namespace,
  };
}

/** The names as a key. The version does not identify an object. */
export function idOfNames({ group, kind, namespace, name }: Names): string {
  return tupleId({ group, kind }, namespace, name);
}

/** The kind, and `shop/web`. */
export function textOfNames({ kind, namespace, name }: Names): string {
  return `${kind} ${shownName({ namespace, name })}`;
}

/**
 * What becomes of an object: without a rule of kruise.yaml it is compiled where nothing is lost.
 *
 * @returns undefined for a kind of another project
 */
export function verdictOf(
  object: KubeObject,
  names: Names,
  config: KruiseConfig,
  around: Neighbors,
): Verdict | undefined {
  const type = kindOf(names);
  if (type === undefined && !GROUPS.has(names.group)) return undefined;
  const as = choiceOf(object, names, config);
  // Sidecars are written by a build of their own.
  const chosen = as === 'Kubernetes' || (as === 'NativeSidecars' && type?.lowering.of === 'object');
  const staying = (...why: string[]): Verdict => ({ ...names, chosen, verdict: 'runtime', why });
  if (as === 'OpenKruise') return staying('kruise.yaml chooses it');
  if (type === undefined) return staying('this version has no rules for its kind');
  const { lowering } = type;
  if (lowering.of === 'nothing') return staying(lowering.why);
  const found = lowering.lower(object, { ...around, isNative: as === 'NativeSidecars' });
  if ('stays' in found) return staying(...found.stays.map(rowText));
  const { losses, objects } = found;
  if (losses.length > 0 && !chosen)
    return staying(
      `${lowering.of === 'template' ? 'in a template' : `as a ${objects[0]?.kind}`} it loses ${losses.map(({ what }) => what).join(', ')}, and kruise.yaml does not choose that`,
    );
  return { ...names, chosen, verdict: losses.length === 0 ? 'exact' : 'lowered', losses, objects };
}

/** What the first rule of kruise.yaml that matches an object chooses for it. */
export function choiceOf(
  object: KubeObject,
  names: Names,
  { build }: KruiseConfig,
): NonNullable<KruiseConfig['build']>[number]['as'] | undefined {
  const type = kindOf(names);
  const named = { ...names, object, ...(type !== undefined && isPlanned(type) && { type }) };
  return build?.find(({ match }) => matches(match, named))?.as;
}

/** `updates in place: pods are deleted and created again` */
export function rowText({ what, instead }: LoweringRow): string {
  return `${what}: ${instead}`;
}
