import { existsSync, readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import type { Recorded } from './record.ts';

const folder = new URL('../../../golden/health/', import.meta.url);

/** The files with the recorded objects of each kind, below `golden/health`; a new kind needs one. */
const files: Readonly<Record<string, string>> = {
  AdvancedCronJob: 'advancedcronjob.jsonl',
  BroadcastJob: 'broadcastjob.jsonl',
  CloneSet: 'cloneset.jsonl',
  ContainerRecreateRequest: 'containerrecreaterequest.jsonl',
  DaemonSet: 'daemonset.jsonl',
  ImageListPullJob: 'imagelistpulljob.jsonl',
  NodeImage: 'nodeimage.jsonl',
  ImagePullJob: 'imagepulljob.jsonl',
  PodUnavailableBudget: 'podunavailablebudget.jsonl',
  ResourceDistribution: 'resourcedistribution.jsonl',
  SidecarSet: 'sidecarset.jsonl',
  StatefulSet: 'statefulset.jsonl',
  UnitedDeployment: 'uniteddeployment.jsonl',
  WorkloadSpread: 'workloadspread.jsonl',
};

export function fileOf({ id }: Kind): string {
  const file = files[id.kind];
  if (file === undefined) throw new Error(`files has none for a ${id.kind}`);
  return file;
}

/** The states of a kind as text: one a line, without what no health check reads. */
export function textOf(states: readonly Recorded[]): string {
  return states
    .map(({ state, target, plan }) => {
      const shown = { state, target: partOf(target), ...(plan !== undefined && { plan: partOf(plan) }) };
      return `${JSON.stringify(shown)}\n`;
    })
    .join('');
}

/** The recorded states of a kind. */
export function readStates(kind: Kind): { state: string; target: JsonObject; plan?: JsonObject }[] {
  const file = new URL(fileOf(kind), folder);
  if (!existsSync(file)) throw new Error(`${file.pathname} is missing: npm run golden records it`);
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { state: string; target: JsonObject; plan?: JsonObject });
}

/** What templates and steps say is no matter of health. */
const LEFT_OUT = ['template', 'containers', 'volumeClaimTemplates', 'selector', 'steps', 'from', 'to'];

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** What stands for a field whose value says nothing about health. */
const STANDS_FOR: Readonly<Record<string, string>> = {
  message: 'text',
  resourceVersion: '1',
  containerID: 'containerd://1',
};

/**
 * A value without wording, moments and versions of the server: the same states would be recorded anew with each of these. Fields are sorted:
 * their order says only in how many writes they came.
 */
function plain(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string') return TIME.test(value) ? '2026-01-01T00:00:00Z' : value;
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value)
    .map(([key, each]) => [key, STANDS_FOR[key] ?? plain(each)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries);
}

function partOf({ apiVersion, kind, metadata, ...object }: KubeObject): JsonObject {
  const { name, namespace, generation } = metadata;
  const spec = Object.entries(objectOf(object['spec'])).filter(([key]) => !LEFT_OUT.includes(key));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(generation !== undefined && { generation }),
    },
    spec: Object.fromEntries(spec),
    status: plain(objectOf(object['status'])),
  };
}
