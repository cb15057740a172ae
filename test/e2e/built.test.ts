import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kruise } from '../compiler/world/manifests.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import { suite } from './suite.ts';

/** How many objects a text of YAML has, those in Lists among them; a comment alone is none. */
function objectsIn(text: string): number {
  const values = parseAllDocuments(text).map((each) => each.toJS() as unknown);
  const items = (value: unknown): number =>
    isObject(value) && Array.isArray(value['items']) ? value['items'].length : value === null ? 0 : 1;
  return values.reduce<number>((sum, each) => sum + items(each), 0);
}

const spec = 'containers: [{name: web, image: "example.com/web:1"}]';
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {${spec}}}
`;
const sidecars = `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector: {matchLabels: {app: web}}
  containers: [{name: mesh, image: "example.com/mesh:1", startupProbe: {httpGet: {port: 80}}, lifecycle: {preStop: {sleep: {seconds: 1}}}}]
`;
const ordered = `apiVersion: apps.kruise.io/v1beta1
kind: CloneSet
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {apps.kruise.io/container-launch-priority: Ordered}}
    spec:
      containers:
      - {name: mesh, image: "example.com/mesh:1", readinessProbe: {httpGet: {port: 80}, periodSeconds: 2}}
      - {name: web, image: "example.com/web:1"}
`;

/** The Deployment with native sidecars that a build makes. */
async function withNatives(text: string, args: readonly string[]): Promise<string> {
  const files = { 'apps/a.yaml': text, 'apps/kruise.yaml': 'build: [{match: {}, as: NativeSidecars}]\n' };
  const { host, code } = await kruise(files, { args: ['build', 'apps', ...args] });
  expect(code, host.err).toBe(0);
  return host.out.split('---\n').find((each) => each.includes('kind: Deployment')) ?? '';
}

suite('built', (test) => {
  for (const [name, text, args] of [
    ['of a SidecarSet', `${sidecars}---\n${deployment}`, ['--sidecars']],
    ['in place of a launch order', ordered, []],
  ] as const)
    test(`a server stores native sidecars ${name} as they are built, in a Deployment and in its pods`, async (k) => {
      const built = (await withNatives(text, args)).replace(/^ {2}namespace: .*\n/m, '');
      expect(await k.run('create --dry-run=server --validate=strict -f -', built)).toBe(
        'deployment.apps/web created (server dry run)',
      );
      expect(await k.run('create --validate=strict -f -', built)).toBe('deployment.apps/web created');
      const { template } = (await k.stored('deployments/web', 'apps/v1')).spec;
      const { metadata = {}, spec: podSpec = {} } = template as Record<string, Record<string, unknown>>;
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'one' }, spec: podSpec };
      expect(await k.run('create --validate=strict -f -', JSON.stringify(pod))).toBe('pod/one created');
      for (const { initContainers, containers } of [podSpec, (await k.stored('pods/one')).spec]) {
        expect(initContainers).toMatchObject([
          { name: 'mesh', restartPolicy: 'Always', startupProbe: { httpGet: { port: 80 } } },
        ]);
        expect(containers).toMatchObject([{ name: 'web', image: 'example.com/web:1' }]);
      }
      expect(
        await k.run('apply --server-side --force-conflicts -f -', built),
        'a sync finds it so',
      ).toContain('deployment.apps/web serverside-applied');
    });

  for (const name of ['exact', 'lossy', 'budgets', 'several', 'spreads', 'pulls'])
    test(`a server accepts what kruise build makes of manifests that are ${name}`, async (k) => {
      const built = readFileSync(`golden/build/${name}.built.yaml`, 'utf8');
      // A server may know no kind of KEDA, and none of OpenKruise.
      const documents = built
        .split('\n---\n')
        .filter((each) => !/^(apiVersion: \S*kruise|kind: (ScaledObject|Namespace|Watcher))/m.test(each));
      const text = documents
        .join('\n---\n')
        .replaceAll(/namespace: (shop|pay|later|gone)\b/g, `namespace: ${k.namespace}`);
      const lines = (await k.run('apply --dry-run=server --validate=strict -f -', text)).split('\n');
      expect(lines).toHaveLength(objectsIn(text));
      for (const line of lines) expect(line).toMatch(/^\S+ created \(server dry run\)$/);
    });
});
