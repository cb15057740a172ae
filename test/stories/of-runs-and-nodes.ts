import { counts, ends, files, job, watchNodes, waves, zones } from './run-stage.ts';
import { held, MANIFEST, type Story } from './story.ts';

/** The job with further lines in its spec. */
const jobWith = (...lines: string[]): string =>
  job().replace('  template:\n', `${lines.map((line) => `  ${line}\n`).join('')}  template:\n`);

/** The nodes of a run change, and its settings do. */
export const runsAndNodes: readonly Story[] = [
  {
    file: 'run-node-joins',
    title: 'A node joins between two waves of a run',
    summary:
      'A fourth node joins while the first wave soaks. It belongs to the last wave. A fifth one joins after the end, and nothing runs there.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      stage.transcript.note('node-4 joins');
      stage.world.nodes.add('node-4');
      await stage.until('Succeeded');
      await stage.run(20_000);
      stage.transcript.note('node-5 joins');
      stage.world.nodes.add('node-5');
      await stage.run(600_000);
      expect([...order].sort()).toEqual(['node-1', 'node-2', 'node-3', 'node-4']);
      expect(await counts(stage)).toMatchObject({ phase: 'completed', succeeded: 4, desired: 4 });
    },
  },
  {
    file: 'run-node-leaves',
    title: 'A node leaves between two waves of a run',
    summary: 'A node is deleted while the first wave soaks. The last wave does not wait for it.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      stage.transcript.note('node-3 is removed');
      stage.world.nodes.remove('node-3');
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-2']);
      expect(await counts(stage)).toMatchObject({ phase: 'completed', succeeded: 2, desired: 2 });
    },
  },
  {
    file: 'run-node-cordoned',
    title: 'A node is cordoned between two waves of a run',
    summary:
      'A node is cordoned while the first wave soaks, and gets no pod. The run ends without it. Uncordoned later, it does not run.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      stage.transcript.note('node-2 is cordoned');
      stage.world.nodes.cordon('node-2');
      await stage.until('Succeeded');
      stage.transcript.note('node-2 is uncordoned');
      stage.world.nodes.uncordon('node-2');
      await stage.run(600_000);
      expect(order).toEqual(['node-1', 'node-3']);
    },
  },
  {
    file: 'run-fails-fast',
    title: 'A run with FailFast fails, and is aborted',
    summary:
      'The first node passes, the second one fails. Nothing else begins, and the job is paused, not failed: a person decides. Abort makes it fail for good.',
    files: { ...files, [MANIFEST]: jobWith('failurePolicy: {type: FailFast}') },
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      stage.transcript.note('from now on the repair fails');
      ends(stage, 'repair:1', 1);
      await stage.until('Halted');
      await stage.run(600_000);
      expect(order).toEqual(['node-1', 'node-3']);
      expect(await counts(stage)).toMatchObject({ phase: 'paused', succeeded: 1, failed: 1 });
      await stage.command('abort', { target: 'BroadcastJob/web' });
      await stage.run(20_000);
      expect(await counts(stage)).toMatchObject({ phase: 'failed', succeeded: 1, failed: 1 });
      expect(order).toEqual(['node-1', 'node-3']);
    },
  },
  {
    file: 'run-goes-on-after-failures',
    title: 'A run with Continue goes on after a failure',
    summary:
      'The repair fails on its first node. With the failure policy Continue the run goes over all nodes.',
    files: { ...files, [MANIFEST]: jobWith('failurePolicy: {type: Continue}') },
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1', 1);
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      ends(stage, 'repair:1');
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-3', 'node-2']);
      expect(await counts(stage)).toMatchObject({ phase: 'completed', succeeded: 2, failed: 1 });
    },
  },
  {
    file: 'run-never-ends',
    title: 'A run that never ends',
    summary:
      'With the completion policy Never the pods stay. A step is done when they are ready. A node that joins after the end of the plan gets a pod, too.',
    files: { ...files, [MANIFEST]: jobWith('completionPolicy: {type: Never}') },
    prepare: zones,
    async play(stage, expect) {
      stage.world.images.set('repair:1', { keepsRunning: true });
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Succeeded');
      expect(order).toEqual(['node-1', 'node-3', 'node-2']);
      stage.transcript.note('node-4 joins');
      stage.world.nodes.add('node-4');
      await stage.run(60_000);
      expect(order).toEqual(['node-1', 'node-3', 'node-2', 'node-4']);
      expect(await counts(stage)).toMatchObject({ phase: 'running', active: 4, desired: 4 });
    },
  },
  {
    file: 'run-paused-mid-wave',
    title: 'A run is paused in the middle of a wave',
    summary:
      'The last wave runs one node at a time, and a commit pauses the job after the second one. Its pod ends, and no other begins until a commit lets it go on.',
    files: {
      ...files,
      [MANIFEST]: job('repair:1', 1),
      'kruise.yaml': waves.replace(/, spread: [^}]+/, ''),
    },
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.untilStep('batch-2');
      await stage.run(1_000);
      const paused = job('repair:1', 1).replace('  template:\n', '  paused: true\n  template:\n');
      await stage.commit('pause it', { [MANIFEST]: paused });
      await stage.sync();
      await stage.run(600_000);
      expect(order).toEqual(['node-1', 'node-2']);
      expect(await counts(stage)).toMatchObject({ phase: 'paused', succeeded: 2 });
      await stage.commit('go on', { [MANIFEST]: job('repair:1', 1) });
      await stage.sync();
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-2', 'node-3']);
    },
  },
  {
    file: 'run-restarts-to-its-limit',
    title: 'A pod of a run is retried to its limit',
    summary:
      'The repair fails, and its container is started again as often as restartLimit says. Then the run has failed on that node, and no other gets a pod.',
    files: {
      ...files,
      [MANIFEST]: jobWith('failurePolicy: {type: FailFast, restartLimit: 2}').replace(
        'restartPolicy: Never',
        'restartPolicy: OnFailure',
      ),
    },
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1', 1);
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Halted');
      await stage.run(600_000);
      expect(order).toEqual(['node-1']);
      expect(await held(stage)).toContain('have restarted more often than restartLimit allows');
    },
  },
];
