import { daemonSets } from './daemon-sets.ts';
import { rolloutSuite } from './suite.ts';

rolloutSuite('daemon sets', daemonSets, (world) => world.startRuntime({ args: ['--policy', 'Auto'] }));
