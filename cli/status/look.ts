import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import type { Reached } from '../cluster/cluster.ts';
import { exitCode } from '../command/command.ts';
import { isForbidden, statusesOf, withoutWord, type Seen, type SeenKind, type TargetStatus } from './read.ts';
import { statusTable } from './table.ts';
import { statusTree } from './tree.ts';

/** What is looked at: a target, or everything in a namespace or anywhere. */
export interface Looked {
  target: { kind: string; name: string } | undefined;
  /** Undefined: in all of them. */
  namespace: string | undefined;
  digest: string | undefined;
}

/** Exit codes of a status: 3 as soon as one roll-out has failed. */
export function verdictCode(statuses: readonly TargetStatus[]): number {
  return statuses.some(({ verdict }) => verdict === 'failed') ? exitCode.failed : exitCode.done;
}

/** The kinds that a status is read from. */
export function kindsFor(looked: Looked): SeenKind[] {
  return looked.target === undefined
    ? ['CloneSet', 'RolloutPlan']
    : ['CloneSet', 'RolloutPlan', 'Pod', 'Event'];
}

/** Reads what a status needs, once. Rejects as the cluster does; Events that may not be seen are left out. */
export async function look(reached: Reached, looked: Looked): Promise<Seen> {
  const { cluster } = reached;
  const options = looked.namespace === undefined ? {} : { namespace: looked.namespace };
  const seen: Record<SeenKind, readonly KubeObject[]> = { CloneSet: [], RolloutPlan: [], Pod: [], Event: [] };
  await Promise.all(
    kindsFor(looked).map(async (kind) => {
      try {
        seen[kind] = (await cluster.list(resources[kind], options)).items;
      } catch (error) {
        if (kind !== 'Event' || !isForbidden(error)) throw error;
      }
    }),
  );
  const read = { targets: seen.CloneSet, plans: seen.RolloutPlan, pods: seen.Pod, events: seen.Event };
  return looked.target === undefined ? { ...read, pods: await podsToAsk(reached, statusesOf(read)) } : read;
}

/** Of so many targets that do not get on the pods are asked for; more are not read at once. */
const MOST_ASKED = 20;

/** The pods of targets in a table that do not get on; none where they may not be seen. */
export async function podsToAsk(
  { cluster }: Reached,
  statuses: readonly TargetStatus[],
): Promise<readonly KubeObject[]> {
  const lists = withoutWord(statuses)
    .slice(0, MOST_ASKED)
    .map(async ({ namespace, object }) => {
      const labelSelector = object?.status?.labelSelector ?? '';
      try {
        return (await cluster.list(resources.Pod, { namespace, labelSelector })).items;
      } catch (error) {
        if (!isForbidden(error)) throw error;
        return [];
      }
    });
  return (await Promise.all(lists)).flat();
}

/** What is asked for, of what is there; a target that is not there is refused. */
export function meantOf(seen: Seen, { target, namespace, digest }: Looked): TargetStatus[] | Refusal {
  const all = statusesOf(seen, digest);
  if (target === undefined) return all;
  const found = all.filter(({ kind, name }) => kind === target.kind && name === target.name);
  if (found.length > 0) return found;
  const near = suggest(
    target.name,
    all.map(({ name }) => name),
  );
  const problem = `there is no ${target.kind}/${target.name} in namespace ${namespace ?? ''}`;
  if (near !== undefined) return { problem, help: `did you mean ${target.kind}/${near}?` };
  return { problem, help: 'kruise status -A lists what there is, -n names another namespace' };
}

/** What is shown of a status, as lines. */
export function drawn(
  host: Host,
  now: number,
  looked: Looked,
  statuses: readonly TargetStatus[],
  seen: Seen,
): string[] {
  const paint = paintFor(host.env, host.stdoutIsTTY);
  const drawing = { paint, now, columns: host.screen?.()?.columns };
  const [only] = statuses;
  if (looked.target !== undefined && only !== undefined) return statusTree(only, seen, drawing);
  if (statuses.length > 0) return statusTable(statuses, drawing);
  const place = looked.namespace === undefined ? 'in any namespace' : `in namespace ${looked.namespace}`;
  return [
    `there is no CloneSet and no plan ${forTerminal(place)}${looked.namespace === undefined ? '' : '; -A looks in all'}`,
  ];
}
