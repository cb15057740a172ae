import { approved, approve, begun, change, done, phase, podsAt } from './acts.ts';
import { hasAvailable } from './snapshot.ts';
import { web } from './manifest.ts';
import type { RolloutCase } from './suite.ts';

const FIRST = 'nginx:1.25';
const NEXT = 'nginx:1.27';

/** Commands of users to a rollout, and changes in git. */
export const commands: RolloutCase[] = [
  {
    golden: 'abort.txt',
    title: 'kruise abort leaves the pods as they are',
    steps: approved,
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval');
      await c.kruise(`abort CloneSet/web --by ${c.world.user}`);
      await phase(c, 'Aborted');
      await c.show();
      await c.status();
      c.note('An aborted plan cannot be approved:');
      await approve(c);
    },
  },
  {
    golden: 'revert.txt',
    title: 'kruise revert moves the pods back',
    steps: approved,
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval');
      await c.kruise(`revert CloneSet/web --by ${c.world.user}`);
      await phase(c, 'Reverted', (snapshot) => hasAvailable(snapshot, 3, 0));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'git-revert.txt',
    title: 'reverting the commit moves the pods back without gates',
    steps: approved,
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval');
      await change(c, { image: FIRST });
      await c.until(
        'all back',
        (snapshot) => hasAvailable(snapshot, 3) && podsAt(snapshot, FIRST).length === 3,
      );
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'pause-resume.txt',
    title: 'kruise pause holds a rollout, even an approved one, until it is resumed',
    steps: approved,
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval');
      await c.kruise(`pause CloneSet/web --by ${c.world.user}`);
      await approve(c);
      await c.show();
      await c.kruise(`resume CloneSet/web --by ${c.world.user}`);
      await done(c, 3);
    },
  },
  {
    golden: 'paused-manifest.txt',
    title: 'paused in the manifest holds the rollout',
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT, paused: true });
      await c.until('it is seen', ({ targets: [target] }) => target?.status?.['observedGeneration'] === 2);
      await c.show();
      await c.status();
      await change(c, { image: NEXT, paused: false });
      await done(c, 3);
    },
  },
  {
    golden: 'plan-replaced.txt',
    title: 'a newer plan takes over from the active plan, at its first step',
    steps: approved,
    async play(c) {
      await begun(c);
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval', (snapshot) => hasAvailable(snapshot, 3, 1));
      await change(c, { image: 'nginx:1.28' });
      await phase(c, 'AwaitingApproval', (snapshot) => podsAt(snapshot, 'nginx:1.28').length === 1);
      await c.show();
      await approve(c);
      await done(c, 3);
    },
  },
  {
    golden: 'failed-pull.txt',
    title: 'an image that cannot be pulled halts the rollout; the next commit fixes it',
    steps: `steps:
  - match: {}
    batches: [{ to: 1, timeout: 30s }, { to: 100% }]
`,
    async play(c) {
      await begun(c);
      await change(c, { image: 'nginx:1.27-missing' });
      await phase(c, 'Halted');
      await c.show();
      await c.status();
      await change(c, { image: NEXT });
      await done(c, 3);
    },
  },
  {
    golden: 'failure-reverts.txt',
    title: 'a failed batch is reverted with onFailure: Revert',
    steps: `steps:
  - match: {}
    batches: [{ to: 1, timeout: 30s }, { to: 100% }]
    onFailure: Revert
`,
    async play(c) {
      await begun(c);
      await change(c, { image: 'nginx:1.27-unready' });
      await phase(c, 'Reverted', (snapshot) => hasAvailable(snapshot, 3, 0));
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'rules.txt',
    title: 'what the definitions reject',
    async play(c) {
      const wrong = [
        web({ image: FIRST }).replace('replicas: 3', 'replicas: -1'),
        web({ image: FIRST }).replace('maxUnavailable: 2', 'maxUnavailable: lots'),
        web({ image: FIRST }).replace('type: InPlaceIfPossible', 'type: Sometimes'),
        web({ image: FIRST }).replace('  selector: { matchLabels: { app: web } }\n', ''),
      ];
      for (const manifest of wrong) await c.kubectl('create -f -', manifest);
      c.note('A selector is immutable:');
      await c.kubectl('create -f -', web({ replicas: 0 }));
      await c.kubectl(
        'patch cloneset web --type merge -p {"spec":{"selector":{"matchLabels":{"app":"other"}}}}',
      );
      const command = (spec: object): string =>
        JSON.stringify({
          apiVersion: 'plan.kruise.io/v1alpha1',
          kind: 'RolloutCommand',
          metadata: { name: 'word' },
          spec: { target: { kind: 'CloneSet', name: 'web' }, by: c.world.user, ...spec },
        });
      c.note('A command is checked when it is created, and is immutable:');
      await c.kubectl('create -f -', command({ action: 'Jump' }));
      await c.kubectl('create -f -', command({ action: 'Pause' }));
      await c.kubectl('patch rolloutcommand word --type merge -p {"spec":{"action":"Abort"}}');
      await c.until('an answer', ({ commands: [answer] }) => answer?.status?.['result'] !== undefined);
    },
  },
];
