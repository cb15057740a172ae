import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { resourceDistributionKind } from '../../semantics/resourcedistribution/kind.ts';
import { quotas } from '../fixtures/quotas.ts';
import type { StoryCluster } from './stage.ts';
import type { Story } from './story.ts';

const { ConfigMap, Namespace, ResourceDistribution } = resources;
const SETTINGS = 'manifests/settings.yaml';
const NAMESPACES = 'manifests/namespaces.yaml';
const READER = 'manifests/web.yaml';
const MINUTE = 60_000;

/** The ResourceDistribution `settings`, of a ConfigMap with a color. */
const settings = ({
  color = 'red',
  targets = 'namespaceSelector: {matchLabels: {team: shop}}',
} = {}): string =>
  [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: ResourceDistribution',
    'metadata: {name: settings}',
    'spec:',
    '  resource:',
    '    apiVersion: v1',
    '    kind: ConfigMap',
    '    metadata: {name: settings}',
    `    data: {color: ${color}}`,
    '  targets:',
    `    ${targets}`,
    '',
  ].join('\n');

/** Namespaces of the team `shop`. */
const namespaces = (...names: string[]): string =>
  names
    .map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}, labels: {team: shop}}\n`)
    .join('---\n');

/** Reads the color into its environment, and all of the ConfigMap as files. */
const reader = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: web:1
        env: [{name: COLOR, valueFrom: {configMapKeyRef: {name: settings, key: color}}}]
        volumeMounts: [{name: etc, mountPath: /etc/settings}]
      volumes: [{name: etc, configMap: {name: settings}}]
`;

const configMap = (namespace: string, name: string, color: string): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { color } },
});

/** The color in each namespace. */
async function colors({ user }: StoryCluster): Promise<Record<string, unknown>> {
  const { items } = await user.list(ConfigMap, {});
  const own = items.filter(({ metadata }) => metadata.name === 'settings');
  return Object.fromEntries(
    own.map(({ metadata, data }) => [metadata.namespace ?? '', (data as JsonObject)['color']]),
  );
}

/** What the status says: how many copies there are, and what is in the way. */
async function far(stage: StoryCluster): Promise<string[]> {
  const target = await stage.user.get(ResourceDistribution, { name: 'settings' });
  const { summary, problems } = resourceDistributionKind.facts.status;
  return [summary(target), ...problems(target).map(({ waitingOn }) => waitingOn)];
}

async function label({ user, transcript }: StoryCluster, name: string, team: string | null): Promise<void> {
  transcript.note(`mona ${team === null ? 'removes the label of' : 'labels'} namespace ${name}`);
  await user.patch(Namespace, { name }, { type: 'merge', body: { metadata: { labels: { team } } } });
}

/** ResourceDistributions: what becomes of copies. */
export const copiesInNamespaces: readonly Story[] = [
  {
    file: 'copies-and-namespaces',
    title: 'Copies follow namespaces',
    summary:
      'A ConfigMap is copied into each namespace of a team. One is created with the label and has its copy at once. Another gets the label later, and a copy with it; it loses both. A namespace is deleted, and is counted no more. Nobody commits anything meanwhile.',
    files: { [SETTINGS]: settings(), [NAMESPACES]: namespaces('shop') },
    async play(stage, expect) {
      await stage.sync();
      await stage.run(MINUTE);
      expect(await colors(stage)).toEqual({ shop: 'red' });
      stage.transcript.note('mona creates namespace shop-test with the label');
      const metadata = { name: 'shop-test', labels: { team: 'shop' } };
      await stage.user.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
      await stage.run(MINUTE);
      expect(await colors(stage)).toEqual({ shop: 'red', 'shop-test': 'red' });
      await label(stage, 'default', 'shop');
      await stage.run(MINUTE);
      expect(await far(stage)).toEqual(['3 of 3 copies']);
      await label(stage, 'default', null);
      await stage.run(MINUTE);
      expect(await colors(stage)).toEqual({ shop: 'red', 'shop-test': 'red' });
      stage.transcript.note('mona deletes namespace shop-test');
      await stage.user.delete(Namespace, { name: 'shop-test' });
      await stage.run(2 * MINUTE);
      expect([await colors(stage), await far(stage)]).toEqual([{ shop: 'red' }, ['1 of 1 copy']]);
    },
  },
  {
    file: 'copies-edited-and-deleted',
    title: 'Somebody edits a copy and deletes another',
    summary:
      'What others do to the content of a copy is reverted, and a deleted copy is made again. Their labels stay. Then a commit changes the color: `kruise plan` lists the namespaces and the Deployment that reads it. All copies follow, and the label of the one is still there.',
    files: { [SETTINGS]: settings(), [NAMESPACES]: namespaces('shop', 'shop-test'), [READER]: reader },
    async play(stage, expect) {
      const { user, transcript } = stage;
      await stage.sync();
      await stage.run(2 * MINUTE);
      transcript.note('mona edits the copy in shop, and adds a label');
      const body = { metadata: { labels: { own: 'mona' } }, data: { color: 'green', size: '1' } };
      await user.patch(ConfigMap, { namespace: 'shop', name: 'settings' }, { type: 'merge', body });
      await stage.run(2 * MINUTE);
      expect(await colors(stage)).toEqual({ shop: 'red', 'shop-test': 'red' });
      transcript.note('mona deletes the copy in shop-test');
      await user.delete(ConfigMap, { namespace: 'shop-test', name: 'settings' });
      await stage.run(2 * MINUTE);
      expect(await colors(stage)).toEqual({ shop: 'red', 'shop-test': 'red' });
      await stage.commit('blue', { [SETTINGS]: settings({ color: 'blue' }) });
      await stage.sync();
      await stage.run(2 * MINUTE);
      expect([await colors(stage), await far(stage)]).toEqual([
        { shop: 'blue', 'shop-test': 'blue' },
        ['2 of 2 copies'],
      ]);
      const edited = await user.get(ConfigMap, { namespace: 'shop', name: 'settings' });
      expect([edited.metadata.labels?.['own'], edited['data']]).toEqual(['mona', { color: 'blue' }]);
    },
  },
  {
    file: 'copies-in-conflict',
    title: 'An object of another owner is in the way, and goes',
    summary:
      'A namespace has a ConfigMap of that name already. It stays as it is, also when the ResourceDistribution changes, and the status names the namespace. The other namespaces are served. A minute after it is gone the copy is there, though nothing else has changed.',
    files: { [SETTINGS]: settings(), [NAMESPACES]: namespaces('shop', 'shop-test') },
    async prepare({ user, transcript }) {
      transcript.note('shop has a ConfigMap settings of its own');
      await user.create(ConfigMap, configMap('shop', 'settings', 'mine'));
    },
    async play(stage, expect) {
      await stage.sync();
      await stage.run(2 * MINUTE);
      expect([await colors(stage), await far(stage)]).toEqual([
        { shop: 'mine', 'shop-test': 'red' },
        ['1 of 2 copies', 'ConflictOccurred'],
      ]);
      await stage.commit('blue', { [SETTINGS]: settings({ color: 'blue' }) });
      await stage.sync();
      await stage.run(2 * MINUTE);
      expect(await colors(stage)).toEqual({ shop: 'mine', 'shop-test': 'blue' });
      stage.transcript.note('mona deletes the ConfigMap of shop');
      await stage.user.delete(ConfigMap, { namespace: 'shop', name: 'settings' });
      await stage.run(3 * MINUTE);
      expect([await colors(stage), await far(stage)]).toEqual([
        { shop: 'blue', 'shop-test': 'blue' },
        ['2 of 2 copies'],
      ]);
    },
  },
  {
    file: 'copies-and-a-quota',
    title: 'A quota of one namespace refuses its copy',
    summary:
      'A ResourceQuota lets shop have one ConfigMap, which it has. The server refuses the copy there, and only there: the other namespaces have theirs at once, and get the next color, too. The status has the message of the server. When the quota is raised, the copy is made.',
    files: { [SETTINGS]: settings(), [NAMESPACES]: namespaces('shop', 'shop-prod', 'shop-test') },
    async prepare({ user, clock, transcript }) {
      transcript.note('shop may have one ConfigMap, and has one');
      await user.create(ConfigMap, configMap('shop', 'own', 'mine'));
      const metadata = { namespace: 'shop', name: 'small' };
      const spec = { hard: { configmaps: '1' } };
      await user.create(quotas, { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec });
      await clock.advance(MINUTE);
    },
    async play(stage, expect) {
      await stage.sync();
      await stage.run(2 * MINUTE);
      expect([await colors(stage), await far(stage)]).toEqual([
        { 'shop-prod': 'red', 'shop-test': 'red' },
        ['2 of 3 copies', 'CreateResourceFailed'],
      ]);
      await stage.commit('blue', { [SETTINGS]: settings({ color: 'blue' }) });
      await stage.sync();
      await stage.run(2 * MINUTE);
      expect(await colors(stage)).toEqual({ 'shop-prod': 'blue', 'shop-test': 'blue' });
      stage.transcript.note('mona raises the quota');
      const body = { spec: { hard: { configmaps: '2' } } };
      await stage.user.patch(quotas, { namespace: 'shop', name: 'small' }, { type: 'merge', body });
      await stage.run(10 * MINUTE);
      expect([await colors(stage), await far(stage)]).toEqual([
        { shop: 'blue', 'shop-prod': 'blue', 'shop-test': 'blue' },
        ['3 of 3 copies'],
      ]);
    },
  },
  {
    file: 'copies-deleted',
    title: 'A ResourceDistribution is deleted, and its copies with it',
    summary:
      'First a commit names two namespaces instead of three: the copy in the third is deleted, and an object of another owner in a namespace that was never named stays. Then the manifest is removed. `kruise plan` says that every copy goes. The garbage collector of Kubernetes removes them, and the object of the other owner stays.',
    files: {
      [SETTINGS]: settings(),
      [NAMESPACES]: namespaces('shop', 'shop-prod', 'shop-test'),
    },
    async prepare({ user, transcript }) {
      transcript.note('default has a ConfigMap settings of its own');
      await user.create(ConfigMap, configMap('default', 'settings', 'mine'));
    },
    async play(stage, expect) {
      await stage.sync();
      await stage.run(MINUTE);
      expect(await far(stage)).toEqual(['3 of 3 copies']);
      const two = 'includedNamespaces: {list: [{name: shop}, {name: shop-prod}]}';
      await stage.commit('two namespaces', { [SETTINGS]: settings({ targets: two }) });
      await stage.sync();
      await stage.run(2 * MINUTE);
      expect(await colors(stage)).toEqual({ default: 'mine', shop: 'red', 'shop-prod': 'red' });
      await stage.commit('no settings', { [SETTINGS]: undefined });
      await stage.sync();
      await stage.run(2 * MINUTE);
      expect(await colors(stage)).toEqual({ default: 'mine' });
    },
  },
];
