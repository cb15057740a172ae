import type { RolloutCommand } from '../../schemas/generated/types/rolloutcommand.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planPhase } from '../../examples/demo/demo.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, MANIFEST, settled, shown, type Story } from './story.ts';

const [OLD, NEW] = ['nginx:1.25-alpine', 'nginx:1.27-alpine'];

const groups = `steps:
- match: {kind: CloneSet, name: web}
  group: 1-front
  batches: [{to: 50%}, {to: 100%}]
  approve: [1]
- match: {kind: CloneSet}
  group: 2-back
`;

const inOrder = `steps:
- match: {kind: CloneSet, name: web}
  after: [{kind: CloneSet, name: db-proxy}]
`;

const halves = `steps:
- match: {kind: CloneSet}
  batches: [{to: 50%}, {to: 100%}]
  approve: [1]
`;

/** The manifests of several CloneSets. */
function files(names: readonly string[], image: string): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [`manifests/${name}.yaml`, web({ name, replicas: 2, maxUnavailable: 1, image })]),
  );
}

/** The phases of plans, in their order: `cloneset-web Running`. */
function watchPhases(stage: StoryCluster): string[] {
  const seen: string[] = [];
  stage.world.onCommit(({ object }) => {
    if (object.kind !== 'RolloutPlan' || planPhase(object) === '') return;
    const text = `${object.metadata.name} ${planPhase(object)}`;
    if (seen.findLast((each) => each.startsWith(`${object.metadata.name} `)) !== text) seen.push(text);
  });
  return seen;
}

/** Adds the output of `kubectl get rolloutcommands` to the story. */
async function commands(stage: StoryCluster): Promise<string[]> {
  const { items } = await stage.user.list(resources.RolloutCommand, { namespace: 'shop' });
  const answers = (items as unknown as RolloutCommand[]).map(({ spec: { action, target }, status }) =>
    [`${action} ${target.name}`, status?.result ?? 'not answered', status?.message ?? ''].join(': '),
  );
  stage.transcript.note('kubectl get rolloutcommands shows');
  for (const answer of answers) stage.transcript.note(`  ${answer}`);
  return answers;
}

const trio = ['cart', 'search', 'web'];

export const queues: readonly Story[] = [
  {
    file: 'one-at-a-time',
    title: 'One rollout at a time',
    summary:
      'The runtime is started with `--max-running 1`, and one commit changes three targets. They are served by group, then by name; while web waits for an approval it holds no slot, and the others continue.',
    files: { 'kruise.yaml': groups, ...files(trio, OLD) },
    runtime: { maxRunning: 1 },
    async play(stage, expect) {
      await settled(stage);
      const seen = watchPhases(stage);
      await stage.commit('nginx 1.27 everywhere', files(trio, NEW));
      await stage.sync();
      await stage.until('Running');
      await stage.run(1_000);
      expect(await held(stage, 'cart')).toMatch(
        /^Queued: waits for a slot: at most 1 plan moves pods at once/,
      );
      await stage.until('AwaitingApproval');
      await stage.until('Succeeded', 'cloneset-search');
      await stage.command('approve');
      await stage.until('Succeeded');
      expect(seen.filter((text) => !text.endsWith(' Pending'))).toEqual([
        'cloneset-web Running',
        'cloneset-web AwaitingApproval',
        'cloneset-cart Running',
        'cloneset-cart Succeeded',
        'cloneset-search Running',
        'cloneset-search Succeeded',
        'cloneset-web Running',
        'cloneset-web Succeeded',
      ]);
      expect(await images(stage)).toEqual({ [NEW]: 6 });
    },
  },
  {
    file: 'after-a-failed-predecessor',
    title: 'web comes after db-proxy, which fails first',
    summary:
      'One commit changes both, and `kruise.yaml` has web come after db-proxy. The image of db-proxy cannot be pulled, its rollout halts, and web stays Pending. Once the image is there and a user resumes db-proxy, web follows by itself.',
    files: { 'kruise.yaml': inOrder, ...files(['db-proxy'], 'proxy:1'), ...files(['web'], OLD) },
    async play(stage, expect) {
      await settled(stage);
      stage.world.images.set('proxy:2', { pullError: true });
      await stage.commit('proxy 2, and nginx 1.27', {
        ...files(['db-proxy'], 'proxy:2'),
        ...files(['web'], NEW),
      });
      await stage.sync();
      await stage.until('Halted', 'cloneset-db-proxy');
      await stage.run(600_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Pending', waitingOn: 'Predecessor' });
      expect(await held(stage)).toMatch(/^Predecessor: comes after CloneSet db-proxy/);
      expect(await images(stage)).toEqual({ [OLD]: 2, 'proxy:1': 1, 'proxy:2': 1 });
      stage.transcript.note('proxy:2 is pushed to the registry');
      stage.world.images.set('proxy:2', {});
      await stage.run(600_000);
      await stage.command('resume', { target: 'CloneSet/db-proxy', reason: 'the image is there now' });
      await stage.until('Succeeded');
      expect(await shown(stage, 'cloneset-db-proxy')).toMatchObject({ phase: 'Succeeded' });
      expect(await images(stage)).toEqual({ [NEW]: 2, 'proxy:2': 2 });
    },
  },
  {
    file: 'commands-that-do-nothing',
    title: 'Commands that do nothing, and how long they can be read',
    summary:
      'A Pause that has expired before it was sent, an Abort of a target that is not there, and an Approve that is heard. Each is answered once; a day later the answers are gone.',
    files: { 'kruise.yaml': halves, [MANIFEST]: web({ replicas: 2, maxUnavailable: 1 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 2, maxUnavailable: 1, image: NEW }) });
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.command('pause', { expires: '2025-12-31T23:00:00Z' });
      const { digest = '' } = await shown(stage);
      await stage.command('abort', { target: 'CloneSet/wbe', digest });
      await stage.run(60_000);
      expect(await shown(stage)).toMatchObject({ phase: 'AwaitingApproval' });
      await stage.command('approve');
      await stage.until('Succeeded');
      expect(await commands(stage)).toEqual([
        expect.stringMatching(/^Abort wbe: Refused: .*there is no CloneSet wbe/),
        expect.stringMatching(/^Approve web: Accepted: /),
        expect.stringMatching(/^Pause web: Expired: /),
      ]);
      await stage.run(23 * 3_600_000);
      expect(await commands(stage)).toHaveLength(3);
      await stage.run(2 * 3_600_000);
      expect(await commands(stage)).toEqual([]);
      expect(await images(stage)).toEqual({ [NEW]: 2 });
    },
  },
];
