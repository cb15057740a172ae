import type { Pod } from '../../schemas/pods/pod.ts';
import { scriptOf } from '../kubelet/script.ts';
import { containerOf, refusal, statusOf } from './podContainer.ts';

/** When the container whose output is asked for was started. */
function startOf(pod: Pod, name: string, previous: boolean): string {
  const status = statusOf(pod, name);
  const quoted = `container "${name}" in pod "${pod.metadata.name}"`;
  if (previous) {
    const last = status?.lastState.terminated;
    if (last === undefined) throw refusal(`previous terminated ${quoted} not found`);
    return last.startedAt;
  }
  const { running, terminated, waiting } = status?.state ?? {};
  const last = running ?? terminated ?? status?.lastState.terminated;
  if (last !== undefined) return last.startedAt;
  throw refusal(`${quoted} is waiting to start: ${waiting?.reason ?? 'ContainerCreating'}`);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
}

/**
 * The output of a container: the lines of its script, all at its start. A following request ends at once. Throws
 * ApiError, with the server's messages.
 */
export function podLog(pod: Pod, query: URLSearchParams, now: number): string {
  const name = containerOf(pod, query.get('container'));
  const startedAt = startOf(pod, name, query.get('previous') === 'true');
  const sinceSeconds = numberIn(query, 'sinceSeconds');
  const sinceTime = Date.parse(query.get('sinceTime') ?? '') || 0;
  const from = Math.max(sinceTime, sinceSeconds === undefined ? 0 : now - sinceSeconds * 1000);
  if (Date.parse(startedAt) < from) return '';
  const lines = scriptOf(pod, name)?.log ?? [];
  const tail = numberIn(query, 'tailLines') ?? lines.length;
  const prefix = query.get('timestamps') === 'true' ? `${startedAt} ` : '';
  const text = lines
    .slice(Math.max(0, lines.length - tail))
    .map((line) => `${prefix}${line}\n`)
    .join('');
  return text.slice(0, numberIn(query, 'limitBytes') ?? text.length);
}
