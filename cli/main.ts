import { setFlagsFromString } from 'node:v8';
import { guardOutput } from './machine/output-guard.ts';
import { versionText } from './version.ts';

const args = process.argv.slice(2);
const version = versionText(args);
if (version !== undefined) {
  // The version needs no further code.
  guardOutput();
  process.stdout.write(version);
} else if (['plan', 'validate'].includes(args[0] ?? '')) {
  const { run } = await import('./plan-program.ts');
  // On a large machine the heap may grow to four times its used size before it is collected. These commands read files of other
  // people and then end, so they keep to the memory in docs/limits.md.
  setFlagsFromString('--heap-growing-percent=30');
  // V8 compiles a function for speed once it has run for a while, which does not pay in a program of two seconds: of 1,000 plans it
  // took a third of the CPU time. With eight times that while, what runs long, such as a plan of 10,000, is compiled still.
  setFlagsFromString('--interrupt-budget=1000000');
  await run(args);
} else {
  const { run } = await import('./program.ts');
  await run(args);
}
