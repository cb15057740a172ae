import { stringify } from 'yaml';
import type { ClusterSnapshot, Stored } from './snapshot.ts';

type Fields = Record<string, unknown>;

/** Fields with times, places and durations, which differ from run to run. */
const dropped = new Set([
  'lastTransitionTime',
  'lastUpdateTime',
  'lastProbeTime',
  'startTime',
  'hostIP',
  'hostIPs',
  'podIP',
  'podIPs',
  'plan.kruise.io/pod-number',
  'plan.kruise.io/seen',
  'plan.kruise.io/writer',
  'apps.kruise.io/cloneset-instance-id',
  'clockMs',
  'idleMs',
  'stepSince',
  'well',
  'updatedSince',
  // Nodes that other cases have added beside those of the target.
  'outside',
  'plan.kruise.io/waits-since',
]);

/** The value without times and other fields that differ from run to run. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  // Milliseconds since 1970.
  if (typeof value === 'number' && value > 1e12) return 'TIME';
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !dropped.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, timeless(each)]),
  );
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

const conditionsOf = (object: Stored): Record<string, string> =>
  Object.fromEntries(
    ((object.status?.['conditions'] ?? []) as Condition[])
      .sort((a, b) => (a.type < b.type ? -1 : 1))
      .map(({ type, status, reason, message }) => [
        type,
        [status, reason, message].filter((part) => part !== undefined && part !== '').join(' · '),
      ]),
  );

function statusOf(object: Stored): Fields {
  const { conditions: _told, ...status } = timeless(object.status ?? {}) as Fields;
  return { ...status, conditions: conditionsOf(object) };
}

interface ContainerStatus {
  name: string;
  image: string;
  imageID?: string;
  ready: boolean;
  restartCount: number;
}

function podOf({ metadata, spec, ...pod }: Stored): Fields {
  const { containers } = spec as { containers: { name: string; image: string }[] };
  const { phase, containerStatuses = [] } = (pod.status ?? {}) as {
    phase?: string;
    containerStatuses?: ContainerStatus[];
  };
  return {
    labels: timeless(metadata.labels ?? {}),
    annotations: annotationsOf(metadata.annotations),
    ...(metadata.deletionTimestamp === undefined ? {} : { deleted: true }),
    images: Object.fromEntries(containers.map(({ name, image }) => [name, image])),
    phase,
    conditions: Object.fromEntries(
      ((pod.status?.['conditions'] ?? []) as Condition[])
        .map(({ type, status }) => [type, status] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    containers: Object.fromEntries(
      containerStatuses.map(({ name, image, ready, restartCount }) => [name, { image, ready, restartCount }]),
    ),
  };
}

function claimOf({ metadata, spec, status }: Stored): Fields {
  return {
    labels: timeless(metadata.labels ?? {}),
    annotations: annotationsOf(metadata.annotations),
    finalizers: metadata.finalizers,
    owners: timeless(metadata.ownerReferences),
    spec: timeless(spec),
    status: timeless(status),
  };
}

/** Whether the harm of a node whose pod is still out is on record yet hangs on the moment. Once the run is over it does not. */
function isOpenRecord(value: unknown): value is { open: string; worse?: unknown } {
  return (
    typeof value === 'object' && value !== null && 'worse' in value && 'open' in value && value.open !== ''
  );
}

/** Annotations with JSON are compared as JSON. */
function annotationsOf(annotations: Record<string, string> = {}): unknown {
  return timeless(
    Object.fromEntries(
      Object.entries(annotations).map(([key, text]) => [key, /^[[{]/.test(text) ? parsed(text) : text]),
    ),
  );
}

/** Equal texts once, with their number. */
function counted(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of [...texts].sort()) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => `${count} ×\n${text}`);
}

/**
 * Everything that a case has left in its namespace, as far as two runs must agree about it.
 *
 * @param steady replaces varying parts by placeholders
 */
export function endState(
  snapshot: ClusterSnapshot,
  events: readonly Stored[],
  steady: (text: string) => string,
): string {
  const text = (value: unknown): string => steady(stringify(value, { lineWidth: 0 }));
  // Whether a change is observed shortly before its plan is random: only cases about that record it.
  const answer = events
    .filter(({ reason }) => reason !== 'Held')
    .map(({ type, reason, message, involvedObject }) =>
      steady(
        `${String(type)} ${(involvedObject as { kind: string }).kind} ${String(reason)}: ${String(message)}`,
      ),
    );
  const sections: [string, string[]][] = [
    ...snapshot.targets.map((target): [string, string[]] => [
      `${String(target['kind'])} ${target.metadata.name}, its status`,
      [text(statusOf(target))],
    ]),
    ...snapshot.plans.map((plan): [string, string[]] => [
      `RolloutPlan ${plan.metadata.name}, its status`,
      [text(statusOf(plan))],
    ]),
    ['Pods', counted(snapshot.pods.map((pod) => text(podOf(pod))))],
    ['Claims', counted(snapshot.claims.map((claim) => text(claimOf(claim))))],
    [
      'Commands',
      counted(
        snapshot.commands.map((command) => text({ spec: timeless(command.spec), status: statusOf(command) })),
      ),
    ],
    ['Revisions', snapshot.revisions.map((revision) => text(revisionOf(revision))).sort()],
    ['Events', [[...new Set(answer)].sort().join('\n')]],
  ];
  return sections
    .filter(([, parts]) => parts.some((part) => part !== ''))
    .map(([title, parts]) => `--- ${title}\n${parts.join('\n')}`)
    .join('\n');
}

function revisionOf({ metadata, revision }: Stored): Fields {
  return {
    name: metadata.name,
    revision,
    labels: timeless(metadata.labels ?? {}),
    annotations: annotationsOf(metadata.annotations),
  };
}

function parsed(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!isOpenRecord(value)) return value;
  const { worse: _worse, ...others } = value;
  return others;
}
