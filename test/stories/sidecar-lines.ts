import { containerStatus } from '../../semantics/pod/in-place.ts';
import { isActive, isReady } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { recordOf } from '../../semantics/sidecarset/pod-record.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { parsedJson } from '../../semantics/values/json-shape.ts';
import { objectOf } from '../../semantics/values/read.ts';

/** The containers that sets have added to a pod: those of all their records. */
function sidecarsOf({ metadata: { annotations }, spec }: Pod): Pod['spec']['containers'] {
  const records = objectOf(parsedJson(annotations?.['kruise.io/sidecarset-hash'] ?? ''));
  const names = new Set(Object.values(records).flatMap((record) => objectOf(record)['sidecarList']));
  const isOf = (name: string): boolean => names.has(name) || names.has(name.replace(/-[12]$/, ''));
  return spec.containers.filter(({ name }) => isOf(name));
}

/** How many pods of a set are ready, and how many have which images of it: `10 of 10 ready; 1 with log:2, 9 with log:1`. */
export function sidecarCounts(pods: readonly Pod[], set: string): string {
  const own = pods.filter((pod) => isActive(pod) && recordOf(pod, set) !== undefined);
  const counts = new Map<string, number>();
  for (const pod of own) {
    const text = sidecarsOf(pod)
      .map(({ image }) => image)
      .join(' + ');
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const parts = [...counts]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([text, count]) => `${count} with ${text === '' ? 'no known sidecar' : text}`);
  return [`${own.filter(isReady).length} of ${own.length} ready`, parts.join(', ')].join('; ');
}

/** The pods with all of their containers. */
export function sidecarTable(title: string, pods: readonly Pod[]): string {
  const rows = pods.map((pod) => {
    const containers = pod.spec.containers.map(({ name, image }) => {
      const restarts = containerStatus(pod, name)?.restartCount ?? 0;
      return `${name}: ${image ?? ''}${restarts === 0 ? '' : `, restarts: ${restarts}`}`;
    });
    const { name, uid = '' } = pod.metadata;
    return `| ${[name, uid.slice(0, 8), containers.join('<br>'), isReady(pod) ? 'yes' : 'no'].join(' | ')} |`;
  });
  return [`${title}:`, '', '| pod | uid | containers | ready |', '|---|---|---|---|', ...rows].join('\n');
}
