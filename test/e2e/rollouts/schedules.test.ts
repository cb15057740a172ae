import { COMPONENTS } from '../../deploy/roles.ts';
import { schedules } from './schedules.ts';
import { rolloutSuite } from './suite.ts';

// As deploy/overlays/full installs it; the other suites have the base alone.
rolloutSuite('schedules', schedules, (world) => world.startRuntime(), COMPONENTS);
