import * as fc from '../../property.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';

const word = fc.constantFrom('a', 'b', 'web', 'proxy', 'x-1');
const image = fc.constantFrom(
  'nginx',
  'nginx:1.27',
  'nginx:latest',
  'reg:5000/app',
  'reg:5000/app:v1',
  'app@sha256:aa',
  'app:latest@sha256:aa',
);
const port = fc.integer({ min: 1, max: 65535 });
const optional = { requiredKeys: [] };

const cpu = fc.constantFrom('1', '1000m', '0.5', '500m', '1e3');
const memory = fc.constantFrom('1Gi', '1024Mi', '128Mi', '1e9', '134217728');
const resourceList = fc.record({ cpu, memory, 'nvidia.com/gpu': fc.constantFrom('1', '2') }, optional);
const resources = fc.record({ limits: resourceList, requests: resourceList }, optional);

const httpGet = fc.record(
  { port, path: fc.constantFrom('/', '/healthz'), scheme: fc.constantFrom('HTTP', 'HTTPS') },
  { requiredKeys: ['port'] },
);
const hook = fc.oneof(
  fc.record({ httpGet }),
  fc.record({ exec: fc.record({ command: fc.array(word, { minLength: 1, maxLength: 3 }) }) }),
);
const grpc = fc.record({
  grpc: fc.record({ port, service: fc.constantFrom('', 'health') }, { requiredKeys: ['port'] }),
});
const handler = fc.oneof(hook, grpc);
const timing = fc.record(
  {
    timeoutSeconds: fc.constantFrom(1, 5),
    periodSeconds: fc.constantFrom(10, 3),
    successThreshold: fc.constantFrom(1, 2),
    failureThreshold: fc.constantFrom(3, 30),
    initialDelaySeconds: fc.constantFrom(0, 4),
  },
  optional,
);
const probe = fc.tuple(handler, timing).map(([how, when]) => ({ ...how, ...when }));

const fieldRef = fc.record(
  { fieldPath: fc.constantFrom('metadata.name', "metadata.labels['app']"), apiVersion: fc.constant('v1') },
  { requiredKeys: ['fieldPath'] },
);
const resourceFieldRef = fc.record(
  { resource: fc.constant('limits.cpu'), divisor: fc.constantFrom('0', '1m', '1') },
  { requiredKeys: ['resource'] },
);
const variable = fc.oneof(
  fc.record({ name: word, value: fc.constantFrom('', '1', 'secret') }, { requiredKeys: ['name'] }),
  fc.record({ name: word, valueFrom: fc.oneof(fc.record({ fieldRef }), fc.record({ resourceFieldRef })) }),
);

const container = fc.record(
  {
    name: word,
    image,
    imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent', 'Never'),
    command: fc.array(word, { maxLength: 2 }),
    terminationMessagePolicy: fc.constantFrom('File', 'FallbackToLogsOnError'),
    env: fc.array(variable, { maxLength: 3 }),
    ports: fc.array(
      fc.record(
        { containerPort: port, protocol: fc.constantFrom('TCP', 'UDP') },
        { requiredKeys: ['containerPort'] },
      ),
      { maxLength: 2 },
    ),
    resources,
    volumeMounts: fc.array(
      fc.record(
        { name: word, mountPath: fc.constantFrom('/a', '/b'), readOnly: fc.boolean() },
        { requiredKeys: ['name', 'mountPath'] },
      ),
      { maxLength: 2 },
    ),
    livenessProbe: probe,
    readinessProbe: probe,
    lifecycle: fc.record({ preStop: hook }),
    securityContext: fc.record({ runAsUser: fc.constantFrom(0, 1000), privileged: fc.boolean() }, optional),
    tty: fc.boolean(),
    futureField: fc.record({ enabled: fc.boolean(), list: fc.constant([]) }, optional),
  },
  { requiredKeys: ['name', 'image'] },
);

const mode = fc.constantFrom(420, 256);
const volumeSource = fc.oneof(
  fc.constant({}),
  fc.record({ emptyDir: fc.record({ sizeLimit: memory, medium: fc.constant('Memory') }, optional) }),
  fc.record({ secret: fc.record({ secretName: word, defaultMode: mode }, { requiredKeys: ['secretName'] }) }),
  fc.record({ configMap: fc.record({ name: word, defaultMode: mode }, { requiredKeys: ['name'] }) }),
  fc.record({
    hostPath: fc.record({ path: word, type: fc.constantFrom('', 'Directory') }, { requiredKeys: ['path'] }),
  }),
  fc.record({
    rbd: fc.record({ image: word, pool: fc.constantFrom('rbd', 'mine') }, { requiredKeys: ['image'] }),
  }),
  fc.record({ image: fc.record({ reference: image }) }),
  fc.record({
    projected: fc.record({
      sources: fc.constant([
        { serviceAccountToken: { path: 'token' } },
        { downwardAPI: { items: [{ path: 'a' }] } },
      ]),
    }),
  }),
);
const volume = fc.tuple(word, volumeSource).map(([name, source]) => ({ name, ...source }));

const spec = fc.record(
  {
    containers: fc.array(container, { minLength: 1, maxLength: 3 }),
    initContainers: fc.array(container, { maxLength: 2 }),
    volumes: fc.array(volume, { maxLength: 3 }),
    restartPolicy: fc.constantFrom('Always', 'OnFailure'),
    dnsPolicy: fc.constantFrom('ClusterFirst', 'Default'),
    schedulerName: fc.constantFrom('default-scheduler', 'mine'),
    terminationGracePeriodSeconds: fc.constantFrom(30, 0, 60),
    serviceAccountName: word,
    securityContext: fc.record({ fsGroup: fc.constant(0) }, optional),
    enableServiceLinks: fc.boolean(),
    automountServiceAccountToken: fc.boolean(),
    hostNetwork: fc.boolean(),
    nodeSelector: fc.dictionary(word, word, { maxKeys: 2 }),
    tolerations: fc.array(fc.record({ key: word, operator: fc.constant('Exists') }), { maxLength: 2 }),
    overhead: resourceList,
    affinity: fc.constantFrom({}, { podAntiAffinity: {} }, { nodeAffinity: { future: 1 } }),
  },
  { requiredKeys: ['containers'] },
);

const stringMap = fc.dictionary(word, fc.constantFrom('', '1', 'two'), { maxKeys: 3 });

/** Pod templates with most fields of the tables of defaults, with and without explicit defaults. */
export const arbitraryTemplate: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      metadata: fc.record(
        { labels: stringMap, annotations: stringMap, finalizers: fc.uniqueArray(word, { maxLength: 2 }) },
        optional,
      ),
      spec,
    },
    { requiredKeys: ['spec'] },
  )
  .map((template) => JSON.parse(JSON.stringify(template)) as JsonObject);
