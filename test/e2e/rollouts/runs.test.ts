import { runs } from './runs.ts';
import { rolloutSuite } from './suite.ts';

rolloutSuite('runs', runs, (world) => world.startRuntime());
