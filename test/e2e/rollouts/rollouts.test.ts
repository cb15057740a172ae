import { basics } from './basics.ts';
import { rolloutSuite } from './suite.ts';

rolloutSuite('roll-outs', [...basics], (world) => world.startRuntime({ args: ['--policy', 'Auto'] }));
