import { setFlagsFromString } from 'node:v8';
import { main } from './dispatch.ts';
import { codeOf, guardOutput, nodeHost } from './machine/node-host.ts';

guardOutput();

// On a large machine the heap may grow to four times what is in use before it is collected. Commands that read what others have
// written, and end, keep to what docs/limits.md says.
if (['plan', 'validate'].includes(process.argv[2] ?? '')) setFlagsFromString('--heap-growing-percent=30');

// Not process.exit: it would cut off output that a pipe has not taken yet.
process.exitCode = codeOf(await main(nodeHost(), process.argv.slice(2)));
