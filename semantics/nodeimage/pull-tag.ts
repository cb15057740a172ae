import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import type { ObservedObjects, ObservedPulls } from '../kinds/kind.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import { decidePulls, endPulls } from '../pull/decide.ts';
import { pullOf } from '../pull/pod.ts';
import type { NodePull } from '../pull/work.ts';
import type { TagSource, WantedTag } from './normalize.ts';

/** What is known where a tag is pulled. */
export interface Site {
  target: KubeObject;
  node: Node;
  pulls: ObservedPulls;
  /** The namespaces that exist. */
  namespaces: ReadonlySet<string>;
  now: number;
}

/** How far a tag is by its pods, and what is to be done for it. */
export interface TagPull {
  state: NodePull['state'];
  /** It waits for a place, and pulls nothing meanwhile. */
  isStuck: boolean;
  /** Why it waits, or has failed; empty: nothing is known. */
  problem: string;
  actions: readonly Action[];
  /** The namespace in which a first pod is created now; undefined: there is none. */
  begins: string | undefined;
  requeueAt: number | undefined;
}

/** The namespaces that are there, and are to stay. */
export function presentNamespaces({ namespaces = [] }: Pick<ObservedObjects, 'namespaces'>): Set<string> {
  return new Set(
    namespaces.flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [metadata.name] : [])),
  );
}

/** The pods of a tag by the Secrets of one namespace. One in another namespace does not count, whatever it says of itself. */
export function podsAt({ namespace, key }: TagSource, pods: readonly Pod[]): Pod[] {
  return pods.filter((pod) => pod.metadata.namespace === namespace && pullOf(pod).key === key);
}

/**
 * Pulls a tag by the Secrets of one namespace after the other, until one of them has pulled it. Which one has its turn follows from the
 * pods: those of a namespace that has failed stay until the tag is over.
 *
 * @param mayBegin whether a first pod may be created in this namespace now
 */
export function pullTag(wanted: WantedTag, site: Site, mayBegin: (namespace: string) => boolean): TagPull {
  const open = wanted.sources.filter(({ namespace }) => site.namespaces.has(namespace));
  const idle = { isStuck: false, begins: undefined, requeueAt: undefined };
  if (open.length === 0) {
    const names = wanted.sources.map(({ namespace }) => namespace).join(', ');
    const problem = `there is no namespace ${names} to pull it in`;
    return { ...idle, state: 'Waiting', problem, actions: [] };
  }
  const actions: Action[] = [];
  let problem = '';
  for (const source of open) {
    const pods = podsAt(source, site.pulls.pods);
    const { nodes, requeueAt, ...found } = decidePulls(
      {
        owner: site.target,
        key: source.key,
        images: [wanted.reference],
        podSpec:
          source.secrets.length === 0 ? {} : { imagePullSecrets: source.secrets.map((name) => ({ name })) },
        nodes: [site.node],
        parallelism: pods.length > 0 || mayBegin(source.namespace) ? 1 : 0,
        attempts: wanted.attempts,
        attemptMs: wanted.attemptMs,
        isRefused: site.pulls.isRefused === true,
        countsTries: true,
        busy: site.pulls.busy ?? new Set(),
        ...(wanted.isForced && { imagePullPolicy: 'Always' }),
      },
      pods,
      site.now,
    );
    const [row] = nodes;
    actions.push(...found.actions.map((action) => actionIn(action, source.namespace)));
    if (row === undefined) break;
    if (row.problem !== undefined)
      problem = open.length > 1 ? `${source.namespace}: ${row.problem}` : row.problem;
    if (row.state === 'Failed') continue;
    const begins = pods.length === 0 && found.actions.length > 0 ? source.namespace : undefined;
    return { state: row.state, isStuck: row.isStuck === true, problem, actions, begins, requeueAt };
  }
  return { ...idle, state: 'Failed', problem, actions };
}

/** The deletion of pods, each in its namespace. */
export function endEach(pods: readonly Pod[], reason: string): Action[] {
  return pods.flatMap((pod) =>
    endPulls([pod], reason).map((action) => actionIn(action, pod.metadata.namespace ?? '')),
  );
}

/** An action about a pod of a namespace: the target is in none. */
function actionIn(action: Action, namespace: string): Action {
  if (action.do !== 'create') return { ...action, namespace };
  const { metadata } = action.object;
  return { ...action, object: { ...action.object, metadata: { ...metadata, namespace } } };
}
