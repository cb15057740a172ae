import { approved, approve, begun, change, done, phase } from './acts.ts';
import type { Case } from './case.ts';
import { hasAvailable } from './snapshot.ts';
import { eventually } from './programs.ts';
import type { RolloutCase } from './suite.ts';

const NEXT = 'nginx:1.27';

/** One pod at a time, so that there is a middle. */
const slowly = ['maxUnavailable: 1'];

async function middle(c: Case): Promise<void> {
  await c.until('the middle of the rollout', ({ pods }) => {
    const images = pods.map(({ spec }) => JSON.stringify(spec).includes(`"${NEXT}"`));
    return images.includes(true) && images.includes(false);
  });
}

/** Interruptions of the runtime: each case has one of its own, which manages only its namespace. */
export const interruptions: RolloutCase[] = [
  {
    golden: 'one-namespace.txt',
    title: 'a runtime for one namespace rolls out with its shipped role',
    steps: approved,
    async play(c) {
      await c.world.startRuntime({ only: c.namespace });
      await begun(c);
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval', (snapshot) => hasAvailable(snapshot, 3, 1));
      await approve(c);
      await done(c, 3);
    },
  },
  {
    golden: 'runtime-killed.txt',
    title: 'a killed runtime continues when it is started again',
    async play(c) {
      const alone = { only: c.namespace, args: ['--no-leader-election'] };
      const first = await c.world.startRuntime(alone);
      await begun(c, { replicas: 4, strategy: slowly });
      await change(c, { replicas: 4, strategy: slowly, image: NEXT });
      await middle(c);
      await first.kill();
      c.note('The runtime is killed during the rollout, and started again.');
      await c.world.startRuntime(alone);
      await done(c, 4);
    },
  },
  {
    golden: 'leader-killed.txt',
    title: 'the runtime on standby takes over when the leader is killed',
    async play(c) {
      const first = await c.world.startRuntime({ only: c.namespace });
      const leader = await c.world.leader(c.namespace);
      await c.world.startRuntime({ only: c.namespace });
      await begun(c, { replicas: 4, strategy: slowly });
      await change(c, { replicas: 4, strategy: slowly, image: NEXT });
      await middle(c);
      await first.kill();
      c.note('The leader is killed during the rollout, and not started again.');
      await eventually('another one leads', async () => {
        const now = await c.world.leader(c.namespace);
        return now !== undefined && now !== leader;
      });
      await done(c, 4);
    },
  },
];
