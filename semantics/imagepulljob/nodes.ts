import type { Node } from '../node/node.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { isPullPod } from '../pull/pod.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { selectorPredicate } from '../values/selector.ts';
import { timeOf } from '../values/timestamp.ts';
import type { PullNodes } from './normalize.ts';

/** A node takes part so long after it was created, once it is ready (OpenKruise image-pull, rule 6c.1). */
export const JOINS_MS = 30_000;
/** One that exists for so long takes part even if it is not ready: it is no new one, and its silence is a failure. */
const IS_KNOWN_MS = 10 * 60_000;

/** The nodes that are to have an image. */
export interface ChosenNodes {
  /** By name. */
  nodes: readonly Node[];
  /** Those that match, and do not take part yet. */
  joining: readonly Node[];
  /** When the next of them takes part by time alone, milliseconds since 1970. */
  nextAt: number | undefined;
}

/**
 * The nodes that are to have an image (OpenKruise image-pull, rule 6a.4): every one that matches, cordoned and tainted ones too, but
 * virtual ones.
 *
 * @param pods those that `podSelector` selects
 * @param pulled nodes with a pod of the pull, which take part already
 */
export function chosenNodes(
  which: PullNodes,
  nodes: readonly Node[],
  pods: readonly Pod[],
  pulled: ReadonlySet<string>,
  now: number,
): ChosenNodes {
  const isChosen = testOf(which, pods);
  const matching = nodes
    .filter((node) => isReal(node) && isChosen(node))
    .sort((a, b) => compareCodePoints(a.metadata.name, b.metadata.name));
  const [chosen, joining]: [Node[], Node[]] = [[], []];
  const times: number[] = [];
  for (const node of matching) {
    const joinsAt = joinsFrom(node);
    if (pulled.has(node.metadata.name) || now >= joinsAt) chosen.push(node);
    else {
      joining.push(node);
      times.push(joinsAt);
    }
  }
  return { nodes: chosen, joining, nextAt: times.length === 0 ? undefined : Math.min(...times) };
}

function testOf(which: PullNodes, pods: readonly Pod[]): (node: Node) => boolean {
  switch (which.by) {
    case 'all':
      return () => true;
    case 'names': {
      const names = new Set(which.names);
      return ({ metadata }) => names.has(metadata.name);
    }
    case 'labels': {
      const matches = selectorPredicate(which.selector);
      return ({ metadata }) => matches(metadata.labels);
    }
    case 'pods': {
      // Pods that pull are no pods of an application, whatever labels they have.
      const names = new Set(
        pods.flatMap((pod) => (isActive(pod) && !isPullPod(pod) ? (pod.spec.nodeName ?? []) : [])),
      );
      return ({ metadata }) => names.has(metadata.name);
    }
  }
}

function isReal({ metadata }: Node): boolean {
  return metadata.deletionTimestamp === undefined && metadata.labels?.['type'] !== 'virtual-kubelet';
}

function joinsFrom({ metadata, status }: Node): number {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return timeOf(metadata.creationTimestamp) + (isReady === true ? JOINS_MS : IS_KNOWN_MS);
}
