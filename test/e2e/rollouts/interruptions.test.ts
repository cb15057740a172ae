import { interruptions } from './interruptions.ts';
import { rolloutSuite } from './suite.ts';

rolloutSuite('interruptions', interruptions, () => Promise.resolve());
