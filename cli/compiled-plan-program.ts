import { fileURLToPath } from 'node:url';
import { loadCompiled } from './machine/compiled.ts';

/** Replaces `plan-program.ts` in the build. */
export const { run } = loadCompiled(fileURLToPath(new URL('./plan-program.cjs', import.meta.url))).exports;
