import { main } from './dispatch.ts';
import { codeOf, guardOutput, nodeHost } from './node-host.ts';

guardOutput();

// Not process.exit: it would cut off output that a pipe has not taken yet.
process.exitCode = codeOf(await main(nodeHost(), process.argv.slice(2)));
