import { main } from './dispatch.ts';
import { nodeHost } from './node-host.ts';

// Not process.exit: it would cut off output that a pipe has not taken yet.
process.exitCode = await main(nodeHost(), process.argv.slice(2));
