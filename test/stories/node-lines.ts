import { nameRuns } from '../../compiler/text/name-runs.ts';
import { requiredNode } from '../../semantics/node/affinity.ts';
import { isActive, isReady } from '../../semantics/pod/readiness.ts';
import { type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';

/** Whether each of these pods is made for one node. */
export function areOnNodes(pods: readonly Pod[]): boolean {
  return pods.length > 0 && pods.every(({ spec }) => requiredNode(spec) !== undefined);
}

/** How many pods are ready, and on which nodes each revision is: `5 of 5 ready; 6bc9 on node-1 to node-4; 7d58 on node-5`. */
export function nodeCounts(pods: readonly Pod[]): string {
  const active = pods.filter(isActive);
  const byRevision = new Map<string, string[]>();
  for (const pod of active) {
    const revision = revisionOf(pod);
    byRevision.set(revision, [...(byRevision.get(revision) ?? []), requiredNode(pod.spec) ?? '']);
  }
  const sides = [...byRevision]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([revision, nodes]) => `${revision} on ${nameRuns(nodes.sort(compareCodePoints))}`);
  return [`${active.filter(isReady).length} of ${active.length} ready`, ...sides].join('; ');
}

/** The pods in the order of their nodes. */
export function nodeTable(title: string, pods: readonly Pod[]): string {
  const rows = pods.map((pod) => {
    const status = pod.status?.containerStatuses?.[0];
    const cells = [
      requiredNode(pod.spec) ?? '',
      pod.metadata.name,
      (pod.metadata.uid ?? '').slice(0, 8),
      revisionOf(pod),
      status?.image ?? '',
      String(status?.restartCount ?? 0),
      isReady(pod) ? 'yes' : 'no',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `${title}:`,
    '',
    '| node | pod | uid | revision | image | restarts | ready |',
    '|---|---|---|---|---|---|---|',
    ...rows.sort(compareCodePoints),
  ].join('\n');
}

function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_LABEL] ?? '?';
}
