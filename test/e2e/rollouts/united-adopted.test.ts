import { rolloutSuite } from './suite.ts';
import { adopted } from './united-adopted.ts';

rolloutSuite('united deployments of OpenKruise', adopted, () => Promise.resolve());
