import { rolloutSuite } from './suite.ts';
import { unitedDeployments } from './united-deployments.ts';

rolloutSuite('united deployments', unitedDeployments, (world) =>
  world.startRuntime({ args: ['--policy', 'Auto'] }),
);
