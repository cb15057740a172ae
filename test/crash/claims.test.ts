import { describeDeaths } from './deaths.ts';
import { claims } from './stories.ts';

// Claims are listed and watched, too.
describeDeaths(claims, 2);
