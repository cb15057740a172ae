import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import { listed } from '../../semantics/values/listed.ts';
import { PLANNED, writtenKind } from '../../compiler/plan/kinds.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { exitCode } from '../command/command.ts';
import { onlyKind } from '../command/kind-names.ts';
import {
  isForbidden,
  statusesOf,
  withoutLease,
  type StatusObjects,
  type Source,
  type TargetStatus,
} from './read.ts';
import { statusTable } from './table.ts';
import { statusTree } from './tree.ts';

/** What is looked at: a target, or everything in a namespace or anywhere. */
export interface StatusQuery {
  /** `kind` undefined: of whatever kind. */
  target: { kind: string | undefined; name: string } | undefined;
  /** Undefined: in all of them; empty: in none. */
  namespace: string | undefined;
  digest: string | undefined;
}

/** Exit codes of a status: 3 as soon as one rollout has failed. */
export function verdictCode(statuses: readonly TargetStatus[]): number {
  return statuses.some(({ verdict }) => verdict === 'failed') ? exitCode.failed : exitCode.done;
}

/** What a status is read from. */
export function sourcesFor({ target, namespace }: StatusQuery): Source[] {
  const isAnyKind = target !== undefined && target.kind === undefined;
  const looked = [...PLANNED.values()].filter(
    ({ id, resource }) =>
      (target?.kind === undefined || target.kind === writtenKind(id)) &&
      // A name alone may be that of a target without a namespace, too.
      (namespace === undefined || isAnyKind || resource.namespaced === (namespace !== '')),
  );
  const source = (part: keyof StatusObjects, resource: Resource, isOptional = false): Source => ({
    part,
    resource,
    isOptional,
  });
  // Of several kinds one may not be installed.
  const targets = looked.map(({ resource }) => source('targets', resource, looked.length > 1));
  const plans = [
    ...(looked.some(({ resource }) => resource.namespaced) ? [resources.RolloutPlan] : []),
    ...(looked.some(({ resource }) => !resource.namespaced) ? [resources.ClusterRolloutPlan] : []),
  ].map((resource) => source('plans', resource, isAnyKind && !resource.namespaced));
  const parts =
    target === undefined ? [] : [source('pods', resources.Pod), source('events', resources.Event, true)];
  return [...targets, ...plans, ...parts];
}

/** Where a source is listed. */
export function listScopeOf({ namespace }: StatusQuery, { resource }: Source): { namespace?: string } {
  return namespace === undefined || namespace === '' || !resource.namespaced ? {} : { namespace };
}

/** Whether a source may be left out for what the server says of it. */
export function isLeftOut({ part, isOptional }: Source, error: unknown): boolean {
  if (!isOptional) return false;
  const isMissing =
    (part === 'targets' || part === 'plans') && error instanceof ApiError && error.status.code === 404;
  return isMissing || isForbidden(error);
}

/** Reads what a status needs, once. Rejects as the cluster does; Events that may not be seen are left out. */
export async function readStatus(reached: ClusterAccess, looked: StatusQuery): Promise<StatusObjects> {
  const { cluster } = reached;
  const found = await Promise.all(
    sourcesFor(looked).map(async (source) => {
      try {
        const { items } = await cluster.list(source.resource, listScopeOf(looked, source));
        return { part: source.part, items };
      } catch (error) {
        if (!isLeftOut(source, error)) throw error;
        return { part: source.part, items: [] };
      }
    }),
  );
  const read = statusObjectsIn(found);
  return looked.target === undefined ? { ...read, pods: await podsToList(reached, statusesOf(read)) } : read;
}

/** What was read from each source, together. */
export function statusObjectsIn(
  found: readonly { part: keyof StatusObjects; items: readonly KubeObject[] }[],
): StatusObjects {
  const of = (part: keyof StatusObjects): KubeObject[] =>
    found.flatMap((each) => (each.part === part ? each.items : []));
  return { targets: of('targets'), plans: of('plans'), pods: of('pods'), events: of('events') };
}

/** Of so many targets that do not get on the pods are asked for; more are not read at once. */
const MOST_ASKED = 20;

/** The pods of targets in a table that do not get on; none where they may not be seen. */
export async function podsToList(
  { cluster }: ClusterAccess,
  statuses: readonly TargetStatus[],
): Promise<readonly KubeObject[]> {
  const lists = withoutLease(statuses)
    .slice(0, MOST_ASKED)
    .map(async ({ namespace, object }) => {
      const labelSelector = object?.status?.labelSelector ?? '';
      try {
        const place = namespace === '' ? {} : { namespace };
        return (await cluster.list(resources.Pod, { ...place, labelSelector })).items;
      } catch (error) {
        if (!isForbidden(error)) throw error;
        return [];
      }
    });
  return (await Promise.all(lists)).flat();
}

/** What is asked for, of what is there; a target that is not there is refused. */
export function matchingTargets(
  seen: StatusObjects,
  { target, namespace, digest }: StatusQuery,
): TargetStatus[] | Refusal {
  const all = statusesOf(seen, digest);
  if (target === undefined) return all;
  const meant = target.kind ?? onlyKind()?.id.kind;
  const found = all.filter(({ kind, name }) => kind === (meant ?? kind) && name === target.name);
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  if (kinds.length > 1) {
    const problem = `there are several targets named ${target.name}: the kinds are ${listed(kinds, 'and')}`;
    return { problem, help: `name one, such as ${kinds[0]}/${target.name}` };
  }
  if (found.length > 0) return found;
  const near = suggest(
    target.name,
    all.map(({ name }) => name),
  );
  const shown = (name: string): string => (meant === undefined ? name : `${meant}/${name}`);
  const place = namespace === '' ? 'in the cluster' : `in namespace ${namespace ?? ''}`;
  const problem = `there is no ${shown(target.name)} ${place}`;
  if (near !== undefined) return { problem, help: `did you mean ${shown(near)}?` };
  return { problem, help: 'kruise status -A lists all targets, -n selects another namespace' };
}

/** What is shown of a status, as lines. */
export function renderStatus(
  host: Host,
  now: number,
  looked: StatusQuery,
  statuses: readonly TargetStatus[],
  seen: StatusObjects,
): string[] {
  const paint = paintFor(host.env, host.stdoutIsTTY);
  const drawing = { paint, now, columns: host.screen?.()?.columns };
  const [only] = statuses;
  if (looked.target !== undefined && only !== undefined) return statusTree(only, seen, drawing);
  if (statuses.length > 0) return statusTable(statuses, drawing);
  const place = looked.namespace === undefined ? 'in any namespace' : `in namespace ${looked.namespace}`;
  return [
    `there is no ${listed([...PLANNED.keys()], 'or')} and no plan ${forTerminal(place)}${looked.namespace === undefined ? '' : '; -A shows all namespaces'}`,
  ];
}
