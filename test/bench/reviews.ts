import { reviewPod, type AdmissionSources } from '../../runtime/admit/review.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';
import { revise } from '../../semantics/revision/revise.ts';
import { NEW_PODS_ANNOTATION } from '../../semantics/sidecarset/resource.ts';
import { sidecarSetView } from '../../semantics/sidecarset/view.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';
import type { Print } from './print.ts';

const NOW = Date.UTC(2026, 0, 1);
/** Sets that the pod gets, which come first. */
const SETS = 3;
/** How many sets there are, and how many revisions of each. */
const CLUSTERS = [
  { sets: SETS, revisions: 5 },
  { sets: 20, revisions: 10 },
] as const;
const WARM_UP = 2_000;
const COUNTED = 5_000;

/** Reviews of new pods that get three sets, from the text of a request to that of its answer. */
export function bench(print: Print): void {
  for (const size of CLUSTERS) measure(print, size);
}

type Size = (typeof CLUSTERS)[number];

function measure(print: Print, size: Size): void {
  const cluster = setup(size);
  const reviews = Array.from({ length: 100 }, (_, index) => JSON.stringify(reviewOf(index)));
  const answered = reviewPod(JSON.parse(reviews[0] ?? ''), cluster);
  const { allowed, patch } = objectOf(answered['response']);
  if (allowed !== true || injectedIn(textOf(patch)) !== SETS)
    throw new Error(`${SETS} sets must be injected: ${JSON.stringify(answered)}`);
  const copied = timesOf((index) => void JSON.stringify(JSON.parse(reviews[index % 100] ?? '')));
  const reviewed = timesOf((index) => {
    const review = JSON.parse(reviews[index % 100] ?? '') as JsonObject;
    JSON.stringify(reviewPod(review, cluster));
  });
  for (const [name, share, of] of [
    ['median', 0.5, 'elapsed'],
    ['p99', 0.99, 'elapsed'],
    // On a machine with other work, the process waits meanwhile.
    ['p99 of those without a wait', 0.99, 'alone'],
    ['p99 of its CPU time', 0.99, 'cpu'],
  ] as const) {
    const baseline = { name: 'JSON.parse and stringify of it', ms: copied[of](share) };
    print(`review, ${SETS} of ${size.sets} sets, ${name} (5 ms allowed)`, reviewed[of](share), baseline);
  }
}

/** The times by their share, milliseconds. */
interface Times {
  elapsed(share: number): number;
  /** Of the runs in which the machine did not take the processor away. */
  alone(share: number): number;
  cpu(share: number): number;
}

function timesOf(run: (index: number) => void): Times {
  for (let index = 0; index < WARM_UP; index += 1) run(index);
  const [elapsed, alone, cpu]: [number[], number[], number[]] = [[], [], []];
  const waits = (): number => process.resourceUsage().involuntaryContextSwitches;
  for (let index = 0; index < COUNTED; index += 1) {
    const before = waits();
    const [start, used] = [performance.now(), process.cpuUsage()];
    run(index);
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(used);
    elapsed.push(ms);
    if (waits() === before) alone.push(ms);
    cpu.push((user + system) / 1000);
  }
  return { elapsed: shareOf(elapsed), alone: shareOf(alone), cpu: shareOf(cpu) };
}

/** The time that this share of all times is below. */
export function shareOf(times: number[]): (share: number) => number {
  times.sort((a, b) => a - b);
  return (share) => times[Math.floor(times.length * share)] ?? 0;
}

/** How many containers of sets a patch adds. */
function injectedIn(patch: string): number {
  return Buffer.from(patch, 'base64').toString().split('"IS_INJECTED"').length - 1;
}

function setup({ sets: count, revisions: each }: Size): AdmissionSources {
  const revisions: KubeObject[] = [];
  const sets = Array.from({ length: count }, (_, index) => {
    const own: KubeObject[] = [];
    for (let version = 1; version <= each; version += 1) {
      const { target, none } = { target: setOf(index, version), none: { exist: false, counted: () => [] } };
      const view = sidecarSetView({ target, pods: [], revisions: own, takenNames: new Set() });
      for (const action of revise(view, none)) if (action.do === 'create') own.push(action.object);
    }
    // Each set has another reason for its revision: published, pinned, and the present content.
    const [name, last] = [own[1]?.metadata.name ?? '', own.at(-1)];
    if (index === 0 && last !== undefined)
      last.metadata.annotations = { ...last.metadata.annotations, [NEW_PODS_ANNOTATION]: 'true' };
    if (own.length !== each) throw new Error(`set ${index} must have ${each} revisions`);
    revisions.push(...own);
    return setOf(index, each, index === 1 ? { injectionStrategy: { revision: { revisionName: name } } } : {});
  });
  const labels = { 'kubernetes.io/metadata.name': 'shop' };
  return {
    sets: () => sets,
    revisions: () => revisions,
    namespace: (name) => ({ name, labels }),
    injectors: podInjectors,
    isRequired: () => false,
    now: NOW,
  };
}

function setOf(index: number, version: number, spec: JsonObject = {}): KubeObject {
  const name = `set-${index}`;
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name, uid: `uid-${index}`, generation: version },
    spec: {
      selector: { matchLabels: { app: index < SETS ? 'web' : `web-${index}` } },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
      containers: [
        {
          name: `sidecar-${index}`,
          image: `example.com/proxy-${index}:${version}`,
          podInjectPolicy: index === 0 ? 'BeforeAppContainer' : 'AfterAppContainer',
          shareVolumePolicy: { type: 'enabled' },
          transferEnv: [{ sourceContainerName: 'main', envNames: ['LEVEL', 'REGION'] }],
          env: [{ name: 'LISTEN', value: ':8080' }],
          volumeMounts: [{ name: `log-${index}`, mountPath: '/log' }],
          readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
          resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        },
      ],
      volumes: [
        { name: `log-${index}`, emptyDir: {} },
        { name: `config-${index}`, configMap: { name: `proxy-${index}` } },
      ],
      imagePullSecrets: [{ name: `registry-${index}` }],
      patchPodMetadata: [{ annotations: { [`example.com/set-${index}`]: 'yes' }, patchPolicy: 'Retain' }],
      ...spec,
    },
  };
}

/** As an API server asks about a pod of a ReplicaSet. */
export function reviewOf(index: number, labels: JsonObject = { app: 'web' }): JsonObject {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `705ab4f5-6393-11e8-b7cc-${String(index).padStart(12, '0')}`,
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      requestKind: { group: '', version: 'v1', kind: 'Pod' },
      requestResource: { group: '', version: 'v1', resource: 'pods' },
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: {
        username: 'system:serviceaccount:kube-system:replicaset-controller',
        groups: ['system:serviceaccounts', 'system:authenticated'],
      },
      object: podOf(labels),
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  };
}

function podOf(labels: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: 'web-7d4b9c6f5d-',
      labels: { ...labels, 'pod-template-hash': '7d4b9c6f5d' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d4b9c6f5d', uid: 'owner', controller: true },
      ],
    },
    spec: {
      containers: ['main', 'helper'].map((name) => ({
        name,
        image: `example.com/${name}:1`,
        env: ['LEVEL', 'REGION', 'TOKEN'].map((each) => ({ name: each, value: each.toLowerCase() })),
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
        readinessProbe: { httpGet: { path: '/', port: 80, scheme: 'HTTP' }, timeoutSeconds: 1 },
        resources: { requests: { cpu: '100m', memory: '128Mi' } },
        terminationMessagePath: '/dev/termination-log',
        imagePullPolicy: 'IfNotPresent',
      })),
      volumes: [{ name: 'data', emptyDir: {} }],
      serviceAccountName: 'default',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((each) => ({
        key: `node.kubernetes.io/${each}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    },
    status: {},
  };
}
