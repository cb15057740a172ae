import { resources } from '../../schemas/wire/resources.ts';
import { web } from './manifests.ts';
import {
  held,
  images,
  imagesEverRun,
  lose,
  MANIFEST,
  settled,
  shown,
  type Story,
  watchReady,
} from './story.ts';

const five = (image?: string): Record<string, string> => ({
  [MANIFEST]: web(image === undefined ? {} : { image }),
});
const NEW = 'nginx:1.27-alpine';
const OLD = 'nginx:1.25-alpine';

/** One pod, a soak and an approval, then the rest. */
const canary = `steps:
- match: {kind: CloneSet, namespace: shop}
  batches:
  - {to: 20%}
  - {to: 100%}
  between: {soak: 5m}
  approve: [1]
`;

/** Changes that are reverted or stopped: by git, by a command, and by both. */
export const reverts: readonly Story[] = [
  {
    file: 'git-revert-after-success',
    title: 'git revert after a rollout has succeeded, and a pod is lost meanwhile',
    summary:
      'The commit is reverted an hour after its rollout was over. No new plan is needed: the pods are reverted within the window of the plan, and a pod that is lost meanwhile is recreated on the revision of the revert.',
    files: five(),
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', five(NEW));
      await stage.sync();
      await stage.until('Succeeded');
      await stage.run(3_600_000);
      stage.revert('Revert "nginx 1.27"', 1);
      await stage.sync();
      await stage.run(2_000);
      const before = await stage.pods();
      await lose(stage, NEW);
      await stage.run(1_000);
      const made = (await stage.pods()).filter((p) => !before.some((b) => b.metadata.uid === p.metadata.uid));
      expect(made.map((p) => p.spec.containers[0]?.image)).toEqual([OLD]);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      expect(await held(stage)).toBe('');
    },
  },
  {
    file: 'git-revert-then-next-change',
    title: 'git revert in the middle of a rollout, and the next change at once',
    summary:
      'While the pods are still being reverted to 1.25 the next change arrives with its plan. That plan was made from 1.25, so it waits until every pod is there, and then starts at its first step. At no time are more than two of the five pods out of traffic.',
    files: { 'kruise.yaml': canary, ...five() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.26', five('nginx:1.26-alpine'));
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.command('approve', { step: 'approve-1' });
      const ready = await watchReady(stage);
      await stage.run(3_000);
      stage.revert('Revert "nginx 1.26"', 1);
      await stage.sync();
      await stage.run(1_000);
      expect((await images(stage))['nginx:1.26-alpine']).toBeGreaterThan(0);
      await stage.commit('nginx 1.27', five(NEW));
      await stage.sync();
      await stage.run(500);
      expect((await images(stage))[NEW]).toBe(undefined);
      await stage.until('Soaking');
      expect(await images(stage)).toEqual({ [OLD]: 4, [NEW]: 1 });
      expect(ready.lowest).toBe(3);
    },
  },
  {
    file: 'reverted-change-again',
    title: 'A change that was reverted in git is landed again',
    summary:
      'The same commit, reverted and then landed again with the same plan file. Git may return to what it has reverted: the plan starts at its first step, and the approval of the first time does not count any more.',
    files: { 'kruise.yaml': canary, ...five() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', five(NEW));
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.command('approve', { step: 'approve-1' });
      await stage.run(2_000);
      stage.revert('Revert "nginx 1.27"', 1);
      await stage.sync();
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      stage.revert('Reapply "nginx 1.27"', 2);
      await stage.sync();
      await stage.until('AwaitingApproval');
      expect(await images(stage)).toEqual({ [OLD]: 4, [NEW]: 1 });
      await stage.run(600_000);
      expect(await shown(stage)).toMatchObject({ phase: 'AwaitingApproval', step: 'approve-1' });
    },
  },
  {
    file: 'stale-base',
    title: 'A change that was planned in a worktree that is behind',
    summary:
      'The pods are on 1.27. The next change was planned in a worktree that still has 1.25: its plan does not list 1.27. It is held and no pod is changed, least of all reverted to 1.25; a lost pod is recreated on 1.27. Planned once more against the current base, it starts at its first step.',
    files: { 'kruise.yaml': canary, ...five() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', five(NEW));
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.command('approve', { step: 'approve-1' });
      await stage.until('Succeeded');
      await stage.commit('nginx 1.28, planned against commit 1', five('nginx:1.28-alpine'), { base: 1 });
      const ran = imagesEverRun(stage);
      await stage.sync();
      await stage.run(60_000);
      await lose(stage, NEW);
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ [NEW]: 5 });
      expect([...ran]).toEqual([NEW]);
      expect(await held(stage)).toMatch(
        /^UnplannedRevision: the plan starts from web-\w+, but the pods are on web-\w+. Plan from the commit with that template \(COMMIT\), /,
      );
      await stage.commit('plan again, against commit 2', {}, { base: 2 });
      await stage.sync();
      await stage.until('AwaitingApproval');
      expect(await images(stage)).toEqual({ [NEW]: 4, 'nginx:1.28-alpine': 1 });
      await stage.command('approve', { step: 'approve-1' });
      await stage.until('Succeeded');
      expect(ran.has(OLD)).toBe(false);
    },
  },
  {
    file: 'reverted-then-landed-with-its-own-plan',
    title: 'A change that was reverted two changes ago is landed again, with a plan of its own',
    summary:
      'Git reverted 1.26 and went on to 1.27, whose plan lists 1.26 with depart. When 1.26 is landed again with a new plan, it is a change like any other, with all of its steps, though the target was complete on 1.26 once.',
    files: { 'kruise.yaml': canary, ...five() },
    async play(stage, expect) {
      const reverted = 'nginx:1.26-alpine';
      const approve = async (): Promise<void> => {
        await stage.sync();
        await stage.until('AwaitingApproval');
        await stage.command('approve', { step: 'approve-1' });
        await stage.until('Succeeded');
      };
      await settled(stage);
      await stage.commit('nginx 1.26', five(reverted));
      await approve();
      await stage.commit('back to 1.25', five(OLD), { plan: false });
      await stage.sync();
      await stage.until('Reverted');
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      await stage.commit('nginx 1.27', five(NEW));
      await approve();
      expect(await images(stage)).toEqual({ [NEW]: 5 });
      await stage.commit('nginx 1.26 once more', five(reverted));
      await stage.sync('manifests');
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [NEW]: 5 });
      expect(await held(stage)).toContain('NoPlan: ');
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ [NEW]: 4, [reverted]: 1 });
      await stage.command('approve', { step: 'approve-1' });
      await stage.until('Succeeded');
    },
  },
  {
    file: 'revert-by-command',
    title: 'Revert by command, then git catches up',
    summary:
      'A user reverts the rollout faster than a pull request can. The pods go to the stable revision while the manifest is still at the new one. When the commit is reverted, too, no further pod changes, and the target is no longer held.',
    files: { 'kruise.yaml': canary, ...five() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', five(NEW));
      await stage.sync();
      await stage.until('Soaking');
      await stage.command('revert', { reason: 'checkout is slow' });
      await stage.until('Reverted');
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      expect(await held(stage)).toContain('kruise resume CloneSet/web');
      const before = await stage.pods();
      stage.revert('Revert "nginx 1.27"', 1);
      await stage.sync();
      await stage.run(60_000);
      expect(await held(stage)).toBe('');
      expect((await stage.pods()).map((p) => p.status)).toEqual(before.map((p) => p.status));
    },
  },
  {
    file: 'abort-then-git',
    title: 'Abort by command, then git catches up',
    summary:
      'Abort freezes: the pods on the new image stay, no more are updated, and a lost pod is recreated as the step allowed. The revert in git then reverts them.',
    files: { 'kruise.yaml': canary, ...five() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', five(NEW));
      await stage.sync();
      await stage.until('Soaking');
      await stage.command('abort', { reason: 'not today' });
      await stage.run(3_600_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Aborted' });
      expect(await images(stage)).toEqual({ [OLD]: 4, [NEW]: 1 });
      expect(await held(stage)).toContain('mona aborted it: not today');
      await lose(stage, NEW);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 4, [NEW]: 1 });
      stage.revert('Revert "nginx 1.27"', 1);
      await stage.sync();
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      expect(await held(stage)).toBe('');
    },
  },
  {
    file: 'approved-early-twice-elsewhere',
    title: 'Approved early, approved twice, approved for another plan',
    summary:
      'An approval before its gate is recorded, and a second one does no harm. One for another digest is refused, because that plan is unknown. When the gate is reached the rollout does not stop.',
    files: { 'kruise.yaml': canary, ...five() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', five(NEW));
      await stage.sync();
      await stage.untilStep('soak-1');
      await stage.command('approve', { step: 'approve-1', digest: `h1:${'0'.repeat(32)}` });
      await stage.run(60_000);
      await stage.command('approve', { step: 'approve-1' });
      await stage.command('approve', { step: 'approve-1', by: 'noor' });
      await stage.run(60_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Soaking' });
      expect(await images(stage)).toEqual({ [OLD]: 4, [NEW]: 1 });
      await stage.until('Succeeded');
      await stage.command('approve', { step: 'approve-1' });
      await stage.run(60_000);
      const { items } = await stage.user.list(resources.RolloutCommand, { namespace: 'shop' });
      const answers = items.map((item) => (item['status'] as { result: string }).result);
      expect(answers.sort()).toEqual(['Accepted', 'Accepted', 'Refused', 'Refused']);
    },
  },
  {
    file: 'paused-mid-run',
    title: 'The target is paused in git in the middle of a rollout',
    summary:
      'A commit sets spec.paused. Updates in progress finish, no further one starts, and the clocks stop, so that an hour of pause fails nothing. A lost pod is recreated on its own revision.',
    files: five(),
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', five(NEW));
      await stage.sync();
      await stage.run(2_000);
      await stage.commit('paused', { [MANIFEST]: web({ image: NEW, paused: true }) });
      await stage.sync();
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 3, [NEW]: 2 });
      expect(await held(stage)).toContain('TargetPaused: ');
      await lose(stage, OLD);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 3, [NEW]: 2 });
      await lose(stage, NEW);
      await stage.run(3_600_000);
      expect(await images(stage)).toEqual({ [OLD]: 3, [NEW]: 2 });
      await stage.commit('not paused any more', { [MANIFEST]: web({ image: NEW, paused: false }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 5 });
    },
  },
];
