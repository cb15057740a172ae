import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import { listed } from '../../semantics/values/listed.ts';
import { REGISTERED, writtenKind } from '../../compiler/plan/kinds.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { exitCode } from '../command/command.ts';
import { kindOfName } from '../command/find-target.ts';
import { onlyKind } from '../command/kind-names.ts';
import {
  isForbidden,
  statusesOf,
  selectorsWithoutPlan,
  type StatusObjects,
  type Source,
  type TargetStatus,
} from './read.ts';
import { statusTable } from './table.ts';
import { statusTree } from './tree.ts';

/** The requested targets: one, or all of a namespace or of the cluster. */
export interface StatusQuery {
  /** `kind` undefined: any kind. */
  target: { kind: string | undefined; name: string } | undefined;
  /** Undefined: all namespaces; empty: cluster-scoped. */
  namespace: string | undefined;
  digest: string | undefined;
  /** Only targets with these labels, as a server reads a selector. */
  labels?: string | undefined;
  /** Only targets in one of these phases (`PHASE_NAMES`); undefined: in any. */
  phases?: readonly string[] | undefined;
}

/** Whether a target is one of those that were asked for. */
function isWanted({ object, phase }: TargetStatus, { labels, phases }: StatusQuery): boolean {
  // Plans have no labels of their own, and only the targets that match were listed.
  if (labels !== undefined && object === undefined) return false;
  return phases === undefined || phases.includes(phase === '' ? 'NoPlan' : phase);
}

/** Exit code of a status: 3 if any rollout has failed. */
export function verdictCode(statuses: readonly TargetStatus[]): number {
  return statuses.some(({ verdict }) => verdict === 'failed') ? exitCode.failed : exitCode.done;
}

/** The resources from which a status is read. */
export function sourcesFor({ target, namespace }: StatusQuery): Source[] {
  const isAnyKind = target !== undefined && target.kind === undefined;
  const kinds = [...REGISTERED.values()].filter(
    ({ id, resource }) =>
      (target?.kind === undefined || target.kind === writtenKind(id)) &&
      // A name without a kind may also be that of a cluster-scoped target.
      (namespace === undefined || isAnyKind || resource.namespaced === (namespace !== '')),
  );
  const source = (part: keyof StatusObjects, resource: Resource, isOptional = false): Source => ({
    part,
    resource,
    isOptional,
  });
  // With several kinds, the definition of one may not be installed.
  const targets = kinds.map(({ resource }) => source('targets', resource, kinds.length > 1));
  const plans = [
    ...(kinds.some(({ resource }) => resource.namespaced) ? [resources.RolloutPlan] : []),
    ...(kinds.some(({ resource }) => !resource.namespaced) ? [resources.ClusterRolloutPlan] : []),
  ].map((resource) => source('plans', resource, isAnyKind && !resource.namespaced));
  const parts =
    target === undefined ? [] : [source('pods', resources.Pod), source('events', resources.Event, true)];
  return [...targets, ...plans, ...parts];
}

/** The scope in which a source is listed. */
export function listScopeOf(
  { namespace, labels }: StatusQuery,
  { part, resource }: Source,
): { namespace?: string; labelSelector?: string } {
  return {
    ...(namespace === undefined || namespace === '' || !resource.namespaced ? {} : { namespace }),
    ...(part !== 'targets' || labels === undefined ? {} : { labelSelector: labels }),
  };
}

/** Whether a status can be shown without a source that failed with this error. */
export function isOmitted({ part, isOptional }: Source, error: unknown): boolean {
  if (!isOptional) return false;
  const isMissing =
    (part === 'targets' || part === 'plans') && error instanceof ApiError && error.status.code === 404;
  return isMissing || isForbidden(error);
}

/** Reads the objects of a status once. Rejects as the cluster does, but omits Events that may not be listed. */
export async function readStatus(
  reached: Pick<ClusterAccess, 'cluster'>,
  query: StatusQuery,
): Promise<StatusObjects> {
  const { cluster } = reached;
  const found = await Promise.all(
    sourcesFor(query).map(async (source) => {
      try {
        const { items } = await cluster.list(source.resource, listScopeOf(query, source));
        return { part: source.part, items };
      } catch (error) {
        if (!isOmitted(source, error)) throw error;
        return { part: source.part, items: [] };
      }
    }),
  );
  const read = statusObjectsIn(found);
  return query.target === undefined ? { ...read, pods: await podsToList(reached, statusesOf(read)) } : read;
}

/** Groups the objects that were read from each source. */
export function statusObjectsIn(
  found: readonly { part: keyof StatusObjects; items: readonly KubeObject[] }[],
): StatusObjects {
  const of = (part: keyof StatusObjects): KubeObject[] =>
    found.flatMap((each) => (each.part === part ? each.items : []));
  return { targets: of('targets'), plans: of('plans'), pods: of('pods'), events: of('events') };
}

/** The most blocked targets of a table whose pods are listed, to limit the requests. */
const MOST_LISTED = 20;

/** The pods of the blocked targets in a table; none if they may not be listed. */
export async function podsToList(
  { cluster }: Pick<ClusterAccess, 'cluster'>,
  statuses: readonly TargetStatus[],
): Promise<readonly KubeObject[]> {
  const lists = selectorsWithoutPlan(statuses)
    .slice(0, MOST_LISTED)
    .map(async ({ namespace, labelSelector }) => {
      try {
        const scope = namespace === '' ? {} : { namespace };
        return (await cluster.list(resources.Pod, { ...scope, labelSelector })).items;
      } catch (error) {
        if (!isForbidden(error)) throw error;
        return [];
      }
    });
  return (await Promise.all(lists)).flat();
}

/** Selects the requested targets; refuses one that does not exist. */
export function matchingTargets(objects: StatusObjects, query: StatusQuery): TargetStatus[] | Refusal {
  const { target, namespace, digest } = query;
  const all = statusesOf(objects, digest);
  if (target === undefined) return all.filter((status) => isWanted(status, query));
  const wantedKind = target.kind ?? onlyKind()?.id.kind;
  const found = all.filter(({ kind, name }) => kind === (wantedKind ?? kind) && name === target.name);
  const named = kindOfName(
    target.name,
    found.map(({ kind }) => kind),
  );
  if ('problem' in named) return named;
  if (found.length > 0) return found;
  const near = suggest(
    target.name,
    all.map(({ name }) => name),
  );
  const shown = (name: string): string => (wantedKind === undefined ? name : `${wantedKind}/${name}`);
  const place = namespace === '' ? 'in the cluster' : `in namespace ${namespace ?? ''}`;
  const problem = `there is no ${shown(target.name)} ${place}`;
  if (near !== undefined) return { problem, help: `did you mean ${shown(near)}?` };
  return { problem, help: 'kruise status -A lists all targets, -n selects another namespace' };
}

/** Renders a status as lines. */
export function renderStatus(
  host: Host,
  now: number,
  query: StatusQuery,
  statuses: readonly TargetStatus[],
  objects: StatusObjects,
): string[] {
  const paint = paintFor(host.env, host.stdoutIsTTY);
  const drawing = { paint, now, columns: host.screen?.()?.columns };
  const [only] = statuses;
  if (query.target !== undefined && only !== undefined) return statusTree(only, objects, drawing);
  if (statuses.length > 0) return statusTable(statuses, drawing);
  return [forTerminal(nothingText(query))];
}

/** That no target is as it was asked for. */
export function nothingText({ namespace, labels, phases }: StatusQuery): string {
  const place = namespace === undefined ? 'in any namespace' : `in namespace ${namespace}`;
  const more = namespace === undefined ? '' : '; -A shows all namespaces';
  if (labels === undefined && phases === undefined)
    return `there is no ${listed([...REGISTERED.keys()], 'or')} and no plan ${place}${more}`;
  const which = [
    ...(labels === undefined ? [] : [`matches ${labels}`]),
    ...(phases === undefined ? [] : [`is in phase ${listed(phases, 'or')}`]),
  ];
  return `no target ${place} ${which.join(' and ')}${more}`;
}
