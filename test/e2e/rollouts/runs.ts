import { approved, phase } from './acts.ts';
import type { Case } from './case.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import type { RolloutCase } from './suite.ts';

/** The parts of the BroadcastJob `web` in which cases differ. */
interface Repair {
  image?: string;
  /** With what the container ends. */
  exitCode?: number;
}

/** The manifest of the BroadcastJob `web`, without a namespace. What its container does, the simulated node reads. */
function repair({ image = 'repair:1', exitCode = 0 }: Repair = {}): string {
  const does = JSON.stringify({ repair: { runSeconds: 1, exitCode, log: ['repaired'] } });
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: BroadcastJob',
    'metadata:',
    '  name: web',
    '  annotations: { plan.kruise.io/policy: Required }',
    'spec:',
    '  parallelism: 2',
    '  template:',
    '    metadata:',
    '      labels: { app: web }',
    `      annotations: { sandbox/containers: '${does}' }`,
    '    spec:',
    '      restartPolicy: Never',
    '      containers:',
    '        - name: repair',
    `          image: ${image}`,
    '',
  ].join('\n');
}

async function change(c: Case, parts: Repair = {}): Promise<void> {
  await c.commit(repair(parts));
  await c.sync();
}

const succeeded = (snapshot: ClusterSnapshot, nodes: number): boolean =>
  (snapshot.targets[0]?.status as { succeeded?: number } | undefined)?.succeeded === nodes;

/** Runs on nodes. The nodes of their world are three, and theirs alone. */
export const runs: RolloutCase[] = [
  {
    golden: 'run-in-waves.txt',
    title: 'a BroadcastJob runs on one node, on the others after an approval, and never again',
    kind: 'BroadcastJob',
    steps: approved,
    async play(c) {
      await change(c);
      await phase(c, 'AwaitingApproval', (snapshot) => succeeded(snapshot, 1));
      await c.show();
      await c.status();
      await c.kruise(`approve BroadcastJob/web --by ${c.world.user}`);
      await phase(c, 'Succeeded', (snapshot) => succeeded(snapshot, 3));
      await c.show();
      await c.mark();

      c.note('The BroadcastJob is pruned, and comes back unchanged:');
      await c.kubectl('delete broadcastjob web --wait');
      await c.sync();
      await c.show();
      await c.retained();
    },
  },
  {
    golden: 'run-fails.txt',
    title: 'a BroadcastJob that fails on its first node starts on no other; the next commit is a new run',
    kind: 'BroadcastJob',
    steps: approved,
    async play(c) {
      await change(c, { exitCode: 1 });
      await phase(c, 'Halted');
      await c.show();
      await c.status();
      await change(c, { image: 'repair:2' });
      await phase(c, 'AwaitingApproval', (snapshot) => succeeded(snapshot, 1));
      await c.kruise(`approve BroadcastJob/web --by ${c.world.user}`);
      await phase(c, 'Succeeded', (snapshot) => succeeded(snapshot, 3));
      await c.show();
    },
  },
];
