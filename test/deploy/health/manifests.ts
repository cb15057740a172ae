import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Kind, PlannedKind } from '../../../semantics/kinds/kind.ts';

/** The least of a manifest of a kind whose plans are played. */
export interface Sample {
  manifest(image: string): JsonObject;
  /** What its step that takes a part of the units is called in a plan. */
  verb: 'update' | 'run';
  /** What of its spec retains every unit on the old revision; undefined: it has no such field. */
  bound: JsonObject | undefined;
  /** What its pods do: they stay, they end by themselves, or they pull an image. */
  pods: 'stay' | 'end' | 'pull';
  /** Its annotations. */
  annotations: Readonly<Record<string, string>>;
}

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const template = (image: string, more: JsonObject = {}): JsonObject => ({
  metadata: { labels },
  spec: { ...more, containers: [{ name: 'main', image }] },
});
const once = { restartPolicy: 'Never' };
const rolling = { updateStrategy: { rollingUpdate: { partition: 3 } } };

const annotations = {};

const ofWorkload = (image: string): JsonObject => ({ selector, template: template(image) });

/** By kind. The nodes of the sandbox are three, and so are the replicas. */
export const samples: Readonly<Record<string, Sample>> = {
  CloneSet: {
    manifest: (image) => ({ replicas: 3, ...ofWorkload(image) }),
    verb: 'update',
    bound: { updateStrategy: { partition: 3 } },
    pods: 'stay',
    annotations,
  },
  StatefulSet: {
    manifest: (image) => ({ replicas: 3, ...ofWorkload(image) }),
    verb: 'update',
    bound: rolling,
    pods: 'stay',
    annotations,
  },
  DaemonSet: { manifest: ofWorkload, verb: 'update', bound: rolling, pods: 'stay', annotations },
  SidecarSet: {
    manifest: (image) => ({ selector, containers: [{ name: 'side', image }] }),
    verb: 'update',
    bound: { updateStrategy: { partition: 3 } },
    pods: 'stay',
    annotations,
  },
  BroadcastJob: {
    manifest: (image) => ({ template: template(image, once) }),
    verb: 'run',
    bound: undefined,
    pods: 'end',
    annotations,
  },
  ImagePullJob: {
    manifest: (image) => ({
      ...{ image, completionPolicy: {}, parallelism: 3, imagePullPolicy: 'Always' },
      pullPolicy: { backoffLimit: 0 },
    }),
    verb: 'run',
    bound: undefined,
    pods: 'pull',
    annotations: { 'plan.kruise.io/policy': 'Required' },
  },
  AdvancedCronJob: {
    manifest: (image) => ({
      schedule: '*/3 * * * *',
      template: { jobTemplate: { spec: { backoffLimit: 0, template: template(image, once) } } },
    }),
    verb: 'update',
    bound: undefined,
    pods: 'end',
    annotations,
  },
  UnitedDeployment: {
    manifest: (image) => ({
      replicas: 3,
      selector,
      topology: { subsets: [{ name: 'a' }, { name: 'b' }] },
      template: { cloneSetTemplate: { spec: ofWorkload(image) } },
    }),
    verb: 'update',
    bound: undefined,
    pods: 'stay',
    annotations,
  },
};

const copied = (data: JsonObject, names: readonly string[]): JsonObject => ({
  resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data },
  targets: { includedNamespaces: { list: names.map((name) => ({ name })) } },
});

const spreading = (subsets: readonly JsonObject[]): JsonObject => ({
  targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
  subsets: [...subsets],
});

/** An image that no registry has. */
export const MISSING = 'missing:1';
/** The name of a pod of nobody. */
export const ALONE = 'alone';

const SHOP = { list: [{ name: 'shop' }] };

/** By kind without plans: what a user sees of a target, and the spec that leads there. */
const standing: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  PodUnavailableBudget: {
    'allows one': { selector, maxUnavailable: 1 },
    'allows all': { selector, maxUnavailable: '100%' },
    'allows none': { selector, maxUnavailable: 0 },
    invalid: { targetRef: { apiVersion: 'apps/v1/x', kind: 'Deployment', name: 'web' }, maxUnavailable: 1 },
    'protects no pod': { selector: { matchLabels: { app: 'none' } }, minAvailable: 1 },
  },
  ContainerRecreateRequest: {
    'of no pod': { podName: 'nowhere', containers: [{ name: 'main' }] },
    invalid: { podName: 'nowhere', containers: [{ name: 'main' }, { name: 'main' }] },
    'of a pod': { podName: ALONE, containers: [{ name: 'main' }] },
    'of a pod that is to run for a while': {
      ...{ podName: ALONE, containers: [{ name: 'main' }] },
      strategy: { minStartedSeconds: 600 },
    },
  },
  ImagePullJob: {
    'to every node': { image: 'web:1', completionPolicy: {} },
    'to no node': { image: 'web:1', completionPolicy: {}, selector: { names: ['nowhere'] } },
    'to a node that does not get it': {
      ...{ image: MISSING, completionPolicy: {}, selector: { names: ['node-1'] } },
      pullPolicy: { backoffLimit: 0 },
    },
    paused: { image: 'other:1', completionPolicy: {}, parallelism: 0 },
  },
  ImageListPullJob: {
    'to every node': { images: ['web:1', 'other:1'], completionPolicy: {} },
    'an image that no node gets': {
      ...{ images: ['web:1', MISSING], completionPolicy: {}, selector: { names: ['node-1'] } },
      pullPolicy: { backoffLimit: 0 },
    },
    paused: { images: ['other:1'], completionPolicy: {}, parallelism: 0 },
  },
  NodeImage: {
    'of no node': { images: { web: { tags: [{ tag: '1' }] } } },
    'of no image': { images: {} },
    invalid: { images: { web: { tags: [{ tag: '1' }, { tag: '1' }] } } },
  },
  ResourceDistribution: {
    'copied everywhere': copied({ color: 'red' }, ['shop']),
    'no namespace': copied({ color: 'red' }, []),
    'a namespace that is not there': copied({ color: 'red' }, ['shop', 'nowhere']),
    invalid: {
      ...copied({ color: 'red' }, []),
      targets: { includedNamespaces: SHOP, excludedNamespaces: SHOP },
    },
    'a copy of others in the way': copied({ color: 'red' }, ['default', 'shop']),
  },
  WorkloadSpread: {
    'a target that is not there': spreading([{ name: 'a', maxReplicas: 2 }, { name: 'b' }]),
    invalid: spreading([{ name: 'a' }, { name: 'a' }]),
    'a target of others': {
      ...spreading([{ name: 'a' }]),
      targetRef: { apiVersion: 'games.example.com/v1', kind: 'Arena', name: 'web' },
    },
  },
};

/** The specs of targets of a kind without plans, by what a user sees; a new kind needs some. */
export function standingOf({ id }: Kind): [what: string, spec: JsonObject][] {
  const specs = standing[id.kind];
  if (specs === undefined) throw new Error(`there is no spec for a ${id.kind}`);
  return Object.entries(specs);
}

/** The sample of a kind; a new kind needs one. */
export function sampleOf({ id }: PlannedKind): Sample {
  const sample = samples[id.kind];
  if (sample === undefined) throw new Error(`samples has none for a ${id.kind}`);
  return sample;
}

/** The manifest `web` of a kind. */
export function manifestOf(kind: PlannedKind, image: string, more: JsonObject = {}): KubeObject {
  const { group, namespaced } = kind.resource;
  const sample = sampleOf(kind);
  return {
    apiVersion: `${group}/${kind.resource.version}`,
    kind: kind.id.kind,
    metadata: {
      name: 'web',
      ...(namespaced && { namespace: 'shop' }),
      ...(Object.keys(sample.annotations).length > 0 && { annotations: { ...sample.annotations } }),
    },
    spec: { ...sample.manifest(image), ...more },
  };
}

/** A step of each sort, so that its plan is in every phase. */
export function stepsOf(kind: PlannedKind): Step[] {
  const { verb } = sampleOf(kind);
  return [
    { id: 'one', [verb]: { to: 1 } },
    { id: 'soak', soak: { for: '5m' } },
    { id: 'check', check: { use: 'pods', args: { restarts: '0' }, for: '2m' } },
    { id: 'agree', approve: {} },
    { id: 'all', [verb]: { to: '100%' } },
  ];
}
