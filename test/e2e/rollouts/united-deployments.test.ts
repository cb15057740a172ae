import { rolloutSuite } from './suite.ts';
import { unitedDeployments } from './united-deployments.ts';

// Some children are of kinds of Kubernetes, to which the base installation gives no right.
rolloutSuite(
  'united deployments',
  unitedDeployments,
  (world) => world.startRuntime({ args: ['--policy', 'Auto'] }),
  ['native-workloads'],
);
