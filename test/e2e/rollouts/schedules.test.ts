import { schedules } from './schedules.ts';
import { rolloutSuite } from './suite.ts';

rolloutSuite('schedules', schedules, (world) => world.startRuntime());
