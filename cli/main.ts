import { setFlagsFromString } from 'node:v8';
import { codeOf, guardOutput } from './machine/output-guard.ts';
import { versionText } from './version.ts';

guardOutput();

const words = process.argv.slice(2);
const version = versionText(words);
// Nothing more is loaded for the version: it is asked for to see whether the program is there.
if (version === undefined) await run();
else process.stdout.write(version);

async function run(): Promise<void> {
  // On a large machine the heap may grow to four times what is in use before it is collected. Commands that read what others have
  // written, and end, keep to what docs/limits.md says.
  if (['plan', 'validate'].includes(words[0] ?? '')) setFlagsFromString('--heap-growing-percent=30');
  const [{ main }, { nodeHost }] = await Promise.all([
    import('./dispatch.ts'),
    import('./machine/node-host.ts'),
  ]);
  // Not process.exit: it would cut off output that a pipe has not taken yet.
  process.exitCode = codeOf(await main(nodeHost(), words));
}
