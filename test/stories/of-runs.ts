import { resources } from '../../schemas/wire/resources.ts';
import { counts, ends, files, watchNodes, zones } from './run-stage.ts';
import { held, type Story } from './story.ts';

export const runs: readonly Story[] = [
  {
    file: 'run-waves-by-zone',
    title: 'A run on every node, in waves by zone',
    summary:
      'A BroadcastJob is new, and its plan comes with it. It runs on one node, soaks, and then runs on the others, one zone at a time.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      expect(order).toEqual(['node-1']);
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-3', 'node-2']);
      expect(await counts(stage)).toMatchObject({ phase: 'completed', desired: 3, succeeded: 3 });
    },
  },
  {
    file: 'run-hurts-its-node',
    title: 'A repair that hurts its node is stopped after one',
    summary:
      'The repair exits with 0, and its node has a problem that it did not have before. The soak fails, names the node, and no other node gets a pod.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      stage.transcript.note('the kubelet of node-1 reports NetworkUnavailable');
      const conditions = [{ type: 'NetworkUnavailable', status: 'True', reason: 'NoRoute' }];
      await stage.user.patch(
        resources.Node,
        { name: 'node-1' },
        { type: 'strategic', body: { status: { conditions } } },
        { subresource: 'status' },
      );
      await stage.until('Halted');
      await stage.run(3_600_000);
      expect(order).toEqual(['node-1']);
      expect(await held(stage)).toContain(
        'node-1 is worse than before its run, which fails step soak-1: it has the condition NetworkUnavailable',
      );
    },
  },
  {
    file: 'run-fails-and-resumes',
    title: 'A repair that fails on a node, and Resume',
    summary:
      'The repair fails on its first node. Nothing else begins. Once the cause is gone, Resume runs that node again, and the run goes on.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1', 1);
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Halted');
      await stage.run(600_000);
      expect(order).toEqual(['node-1']);
      ends(stage, 'repair:1');
      stage.transcript.note('what made the repair fail is mended');
      await stage.command('resume', { target: 'BroadcastJob/web' });
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-1', 'node-3', 'node-2']);
    },
  },
  {
    file: 'run-pruned-half-way',
    title: 'A run that is pruned and applied again',
    summary:
      'The engine prunes the job after its first node, and applies it again. What ran is on record outside of the job: the first node does not run again, and the plan starts at its step 1.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      stage.transcript.note('the job is pruned');
      await stage.user.delete(resources.BroadcastJob, { namespace: 'shop', name: 'web' });
      await stage.run(10_000);
      await stage.sync();
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-3', 'node-2']);
    },
  },
];
