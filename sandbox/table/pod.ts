import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { ageColumn, column, listAt, nameColumn, numberAt, textAt, wide, type Column } from './column.ts';
import { humanDuration } from './duration.ts';

interface Summary {
  ready: number;
  containers: number;
  restarts: number;
  /** When a container last terminated before a restart, milliseconds; 0 if never. */
  lastRestart: number;
  status: string;
}

function conditionOf(pod: KubeObject, type: string): unknown {
  return listAt(pod, ['status', 'conditions']).find((each) => textAt(each, ['type']) === type);
}

function holds(pod: KubeObject, type: string): boolean {
  return textAt(conditionOf(pod, type), ['status']) === 'True';
}

function endOfLast(status: unknown): number {
  const finished = textAt(status, ['lastState', 'terminated', 'finishedAt']);
  return finished === '' ? 0 : Date.parse(finished);
}

function endedAs(terminated: unknown): string {
  const signal = numberAt(terminated, ['signal']);
  return signal === 0 ? `ExitCode:${numberAt(terminated, ['exitCode'])}` : `Signal:${signal}`;
}

/** The pod status while an init container has not finished; undefined once it has. */
function initStatus(pod: KubeObject, status: unknown, index: number, sidecar: boolean): string | undefined {
  const terminated = fieldAt(status, ['state', 'terminated']);
  if (terminated !== undefined && numberAt(terminated, ['exitCode']) === 0) return undefined;
  if (sidecar && fieldAt(status, ['started']) === true) return undefined;
  if (terminated !== undefined) return `Init:${textAt(terminated, ['reason']) || endedAs(terminated)}`;
  const waiting = textAt(status, ['state', 'waiting', 'reason']);
  if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${index}/${listAt(pod, ['spec', 'initContainers']).length}`;
}

function summaryOf(pod: KubeObject): Summary {
  const phase = textAt(pod, ['status', 'phase']);
  const sidecars = new Set(
    listAt(pod, ['spec', 'initContainers'])
      .filter((each) => textAt(each, ['restartPolicy']) === 'Always')
      .map((each) => textAt(each, ['name'])),
  );
  let status = textAt(pod, ['status', 'reason']) || phase;
  if (textAt(conditionOf(pod, 'PodScheduled'), ['reason']) === 'SchedulingGated') status = 'SchedulingGated';

  let ready = 0;
  let restarts = 0;
  let lastRestart = 0;
  let sidecarRestarts = 0;
  let lastSidecarRestart = 0;
  let initializing = false;
  for (const [index, each] of listAt(pod, ['status', 'initContainerStatuses']).entries()) {
    const sidecar = sidecars.has(textAt(each, ['name']));
    restarts += numberAt(each, ['restartCount']);
    lastRestart = Math.max(lastRestart, endOfLast(each));
    if (sidecar) {
      sidecarRestarts += numberAt(each, ['restartCount']);
      lastSidecarRestart = Math.max(lastSidecarRestart, endOfLast(each));
    }
    const reported = initStatus(pod, each, index, sidecar);
    if (reported === undefined) {
      if (sidecar && fieldAt(each, ['started']) === true && fieldAt(each, ['ready']) === true) ready += 1;
      continue;
    }
    status = reported;
    initializing = true;
    break;
  }

  if (!initializing || holds(pod, 'Initialized')) {
    restarts = sidecarRestarts;
    lastRestart = lastSidecarRestart;
    let running = false;
    for (const each of [...listAt(pod, ['status', 'containerStatuses'])].reverse()) {
      restarts += numberAt(each, ['restartCount']);
      lastRestart = Math.max(lastRestart, endOfLast(each));
      const waiting = textAt(each, ['state', 'waiting', 'reason']);
      const terminated = fieldAt(each, ['state', 'terminated']);
      if (waiting !== '') status = waiting;
      else if (terminated !== undefined) status = textAt(terminated, ['reason']) || endedAs(terminated);
      else if (fieldAt(each, ['ready']) === true && fieldAt(each, ['state', 'running']) !== undefined) {
        running = true;
        ready += 1;
      }
    }
    if (status === 'Completed' && running) status = holds(pod, 'Ready') ? 'Running' : 'NotReady';
  }

  if (pod.metadata.deletionTimestamp !== undefined) {
    if (textAt(pod, ['status', 'reason']) === 'NodeLost') status = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') status = 'Terminating';
  }
  return {
    ready,
    containers: listAt(pod, ['spec', 'containers']).length + sidecars.size,
    restarts,
    lastRestart,
    status,
  };
}

function gates(pod: KubeObject): string {
  const all = listAt(pod, ['spec', 'readinessGates']);
  if (all.length === 0) return '<none>';
  const open = all.filter((gate) => holds(pod, textAt(gate, ['conditionType'])));
  return `${open.length}/${all.length}`;
}

export const podColumns: readonly Column[] = [
  nameColumn,
  column('Ready', (pod) => {
    const { ready, containers } = summaryOf(pod);
    return `${ready}/${containers}`;
  }),
  column('Status', (pod) => summaryOf(pod).status),
  column('Restarts', (pod, now) => {
    const { restarts, lastRestart } = summaryOf(pod);
    if (restarts === 0 || lastRestart === 0) return String(restarts);
    return `${restarts} (${humanDuration(now - lastRestart)} ago)`;
  }),
  ageColumn,
  wide('IP', (pod) => textAt(pod, ['status', 'podIP']) || '<none>'),
  wide('Node', (pod) => textAt(pod, ['spec', 'nodeName']) || '<none>'),
  wide('Nominated Node', (pod) => textAt(pod, ['status', 'nominatedNodeName']) || '<none>'),
  wide('Readiness Gates', gates),
];

/** Finished pods have a row condition, by which clients can hide them. */
export function podRowConditions(pod: KubeObject): unknown[] | undefined {
  const phase = textAt(pod, ['status', 'phase']);
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}
