import { basics } from './basics.ts';
import { commands } from './commands.ts';
import { hooks } from './hooks.ts';
import { statefulSets } from './stateful-sets.ts';
import { storage } from './storage.ts';
import { rolloutSuite } from './suite.ts';
import { clusterFailures } from './cluster-failures.ts';
import { handovers } from './handover.ts';

rolloutSuite(
  'rollouts',
  [...basics, ...hooks, ...commands, ...clusterFailures, ...storage, ...statefulSets, ...handovers],
  (world) => world.startRuntime({ args: ['--policy', 'Auto'] }),
);
