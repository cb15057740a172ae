import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

/** Where the text of a case belongs: below the container, below the pod's spec, … */
type Part = 'container' | 'pod' | 'image' | 'labels' | 'meta';

/** A valid CloneSet with the text in it. */
function podText(part: Part, text: string): string {
  switch (part) {
    case 'container':
      return cloneSet({ container: `        ${text}` });
    case 'pod':
      return cloneSet({ pod: `      ${text}` });
    case 'image':
      return cloneSet({ image: text });
    case 'labels':
      return cloneSet().replace('labels: {app: web}', `labels: ${text}`);
    case 'meta':
      return cloneSet().replace('  namespace: shop', `  namespace: shop\n${text}`);
  }
}

const LONG = `"${'x'.repeat(262_145)}"`;

const rows: Readonly<Record<string, readonly [part: Part, text: string, ...expected: string[]]>> = {
  'a quantity with a unit': ['container', 'resources: {requests: {cpu: 1 core}}', 'KR2206 19:37'],
  'a quantity in bytes': ['container', 'resources: {limits: {memory: 1GB}}', 'KR2206 19:38'],
  'a quantity that is replaced later': [
    'container',
    'resources: {limits: {memory: "${MEMORY}"}}',
    'KR2108 19:38',
  ],
  'a size that is no quantity': ['pod', 'volumes: [{name: a, emptyDir: {sizeLimit: 1 GiB}}]', 'KR2206 19:49'],
  'a port that no host has': ['container', 'ports: [{containerPort: 99999}]', 'KR2201 19:33'],
  'port 0': ['container', 'ports: [{containerPort: 0}]', 'KR2201 19:33'],
  'a port name twice': [
    'container',
    'ports: [{name: http, containerPort: 80}, {name: http, containerPort: 81}]',
    'KR2202 19:57',
  ],
  'a port name in upper case': ['container', 'ports: [{name: HTTP, containerPort: 80}]', 'KR2201 19:24'],
  'a port name that is too long': [
    'container',
    'ports: [{name: a-long-name-of-16, containerPort: 80}]',
    'KR2201 19:24',
  ],
  'a protocol in lower case': ['container', 'ports: [{containerPort: 80, protocol: tcp}]', 'KR2003 19:47'],
  'a host port that no host has': [
    'container',
    'ports: [{containerPort: 80, hostPort: 70000}]',
    'KR2201 19:47',
  ],
  'a host port twice': [
    'container',
    'ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]',
    'KR2202 19:82',
  ],
  'an image in upper case': ['image', 'Nginx:1.25', 'KR2207 18:16'],
  'an image with two tags': ['image', '"nginx:1.25:2"', 'KR2207 18:16'],
  'an image with spaces': ['image', '"nginx: 1.25"', 'KR2207 18:16'],
  'an image with a scheme': ['image', '"https://registry.test/nginx:1"', 'KR2207 18:16'],
  'an image with registry, port, tag and digest': [
    'image',
    '"registry.test:5000/a/b-c__d:1@sha256:0000000000000000000000000000000000000000000000000000000000000000"',
  ],
  'a text that no rule reads': ['container', `args: [${LONG}]`, 'KR2225 19:16'],
  'a variable twice': ['container', 'env: [{name: A, value: b}, {name: A, value: c}]', 'KR2205 19:36'],
  'a variable name with an equals sign': ['container', 'env: [{name: "A=B", value: c}]', 'KR2201 19:22'],
  'a variable without a name': ['container', 'env: [{value: b}]', 'KR2004 19:15'],
  'a variable with two values': [
    'container',
    'env: [{name: A, value: b, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]',
    'KR2201 19:46',
  ],
  'a variable from no source': ['container', 'env: [{name: A, valueFrom: {}}]', 'KR2201 19:36'],
  'a variable from a field that pods lack': [
    'container',
    'env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.foo}}}]',
    'KR2201 19:59',
  ],
  'a mount without a volume': ['container', 'volumeMounts: [{name: data, mountPath: /data}]', 'KR2148 19:31'],
  'a volume device of a claim without such a volume': [
    'container',
    'volumeDevices: [{name: data, devicePath: /dev/x}]',
    'KR2148 19:32',
  ],
  'a probe without a handler': ['container', 'livenessProbe: {periodSeconds: 5}', 'KR2201 19:24'],
  'a probe with two handlers': [
    'container',
    'livenessProbe: {httpGet: {port: 80}, tcpSocket: {port: 80}}',
    'KR2204 19:46',
  ],
  'a probe with a scheme in lower case': [
    'container',
    'livenessProbe: {httpGet: {port: 80, scheme: https}}',
    'KR2003 19:53',
  ],
  'a probe with a negative period': [
    'container',
    'livenessProbe: {exec: {command: [a]}, periodSeconds: -1}',
    'KR2201 19:62',
  ],
  'a liveness probe that needs two successes': [
    'container',
    'livenessProbe: {exec: {command: [a]}, successThreshold: 2}',
    'KR2201 19:65',
  ],
  'a hook without a handler': ['container', 'lifecycle: {preStop: {}}', 'KR2201 19:30'],
  'requests above limits': ['container', 'resources: {requests: {cpu: 2}, limits: {cpu: 1}}', 'KR2201 19:31'],
  'a negative request': ['container', 'resources: {requests: {cpu: -1}}', 'KR2201 19:37'],
  'a resource that containers lack': ['container', 'resources: {requests: {cpus: 1}}', 'KR2201 19:32'],
  'a request of an extended resource without a limit': [
    'container',
    'resources: {requests: {example.com/gpu: 1}}',
    'KR2201 19:9',
  ],
  'a pull policy in lower case': ['container', 'imagePullPolicy: always', 'KR2003 19:26'],
  'a negative user': ['container', 'securityContext: {runAsUser: -1}', 'KR2201 19:38'],
  'privileged without escalation': [
    'container',
    'securityContext: {privileged: true, allowPrivilegeEscalation: false}',
    'KR2201 19:26',
  ],
  'a message policy that there is not': ['container', 'terminationMessagePolicy: Log', 'KR2003 19:35'],
  'two mistakes in one port, and one beside': [
    'container',
    'ports: [{containerPort: "80", name: A}]\n        livenessProbe: {}',
    'KR2002 19:33',
    'KR2201 19:45',
    'KR2201 20:24',
  ],
  'a negative grace period': ['pod', 'terminationGracePeriodSeconds: -1', 'KR2208 19:38'],
  'a restart policy that there is not': ['pod', 'restartPolicy: Sometimes', 'KR2105 19:22'],
  'a DNS policy that there is not': ['pod', 'dnsPolicy: Cluster', 'KR2003 19:18'],
  'no DNS settings': ['pod', 'dnsPolicy: None', 'KR2201 15:5'],
  'a host name with an underscore': ['pod', 'hostname: my_host', 'KR2201 19:17'],
  'a service account in upper case': ['pod', 'serviceAccountName: Web', 'KR2201 19:27'],
  'a service account that is replaced later': ['pod', 'serviceAccountName: "${ACCOUNT}"', 'KR2108 19:27'],
  'a node selector with an invalid key': ['pod', 'nodeSelector: {"a b": c}', 'KR2201 19:22'],
  'a node selector with an invalid value': ['pod', 'nodeSelector: {a: "b c"}', 'KR2201 19:25'],
  'a toleration with an unknown operator': [
    'pod',
    'tolerations: [{key: a, operator: Equals, value: b}]',
    'KR2003 19:40',
  ],
  'a toleration of a value without a key': [
    'pod',
    'tolerations: [{operator: Equal, value: b}]',
    'KR2201 19:32',
  ],
  'a toleration of an unknown effect': [
    'pod',
    'tolerations: [{key: a, operator: Exists, effect: NoRun}]',
    'KR2003 19:56',
  ],
  'a volume with two sources': [
    'pod',
    'volumes: [{name: a, emptyDir: {}, hostPath: {path: /a}}]',
    'KR2204 19:41',
  ],
  'a volume name twice': [
    'pod',
    'volumes: [{name: a, emptyDir: {}}, {name: a, emptyDir: {}}]',
    'KR2202 19:49',
  ],
  'a volume name with an underscore': ['pod', 'volumes: [{name: a_b, emptyDir: {}}]', 'KR2201 19:24'],
  'a file mode in decimal': [
    'pod',
    'volumes: [{name: a, configMap: {name: a, defaultMode: 777}}]',
    'KR2201 19:61',
  ],
  'a volume source that Kubernetes removed': [
    'pod',
    'volumes: [{name: a, gitRepo: {repository: "https://a.test/b"}}]',
    'KR2205 19:36',
  ],
  'a spread without a topology': [
    'pod',
    'topologySpreadConstraints: [{maxSkew: 1, topologyKey: "", whenUnsatisfiable: DoNotSchedule}]',
    'KR2201 19:61',
  ],
  'a spread with no skew': [
    'pod',
    'topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]',
    'KR2201 19:45',
  ],
  'an affinity without a weight': [
    'pod',
    'affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, preference: {}}]}}',
    'KR2201 19:92',
  ],
  'a readiness gate with an invalid type': [
    'pod',
    'readinessGates: [{conditionType: "a b"}]',
    'KR2201 19:40',
  ],
  'a priority class in upper case': ['pod', 'priorityClassName: High', 'KR2201 19:26'],
  'a host alias without an address': ['pod', 'hostAliases: [{ip: 1.2.3, hostnames: [a]}]', 'KR2201 19:26'],
  'an ephemeral container': ['pod', 'ephemeralContainers: [{name: a, image: "a:1"}]', 'KR2204 19:7'],
  'an init container with a probe': [
    'pod',
    'initContainers: [{name: a, image: "a:1", readinessProbe: {tcpSocket: {port: 80}}}]',
    'KR2204 19:48',
  ],
  'a field of Linux in a pod of Windows': ['pod', 'os: {name: windows}\n      hostPID: true', 'KR2204 20:7'],
  'a reference of a file to no volume': [
    'pod',
    'initContainers: [{name: a, image: "a:1", env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: a, key: k}}}]}]',
    'KR2203 19:101',
  ],
  'an invalid label key': ['labels', '{app: web, "a b": c}', 'KR2201 14:26'],
  'an invalid label value': ['labels', '{app: web, a: "b c"}', 'KR2201 14:29'],
  'a label that is too long': [
    'labels',
    '{app: web, a: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}',
    'KR2201 14:29',
  ],
  'an invalid label key of the object': ['meta', '  labels: {"a b": c}', 'KR2201 6:12'],
  'an invalid annotation key of the object': ['meta', '  annotations: {"a b": c}', 'KR2201 6:17'],
  'a finalizer without a domain': ['meta', '  finalizers: [mine]', 'KR2201 6:16'],
};

/** Pod templates and metadata that the API server refuses or warns of, as `CODE line:column`. */
export const podCases: readonly Case[] = Object.entries(rows).map(([what, [part, text, ...expected]]) => ({
  what,
  head: podText(part, text),
  options: { args: ['validate', 'head'] },
  expected: expected.map((each) => each.replace(' ', ' head/web.yaml:')),
}));
