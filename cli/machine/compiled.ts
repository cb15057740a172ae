import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, version } from 'node:process';
import { Script } from 'node:vm';

/** A program built as one CommonJS file, with the code that V8 compiled for it. */
export interface Compiled {
  exports: { run(words: readonly string[]): Promise<void> };
  script: Script;
}

/**
 * The file with the compiled code of a program. V8 accepts it only from the same version of Node.js and the same
 * architecture.
 */
export function codeCacheOf(file: string): string {
  return `${file}.${version}-${arch}.cache`;
}

/**
 * Loads a program. If the build stored compiled code for this Node.js, V8 need not compile it again, which would take a
 * third of the time of a small plan.
 */
export function loadCompiled(file: string): Compiled {
  const code = readFileSync(file, 'latin1');
  const cachedData = codeCache(file);
  const script = new Script(`(function (exports, require, module) {${code}\n})`, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module = { exports: {} };
  const define = script.runInThisContext() as (...args: unknown[]) => void;
  define(module.exports, createRequire(file), module);
  return { exports: module.exports as Compiled['exports'], script };
}

function codeCache(file: string): Buffer | undefined {
  try {
    return readFileSync(codeCacheOf(file));
  } catch {
    // Built by another version of Node.js.
    return undefined;
  }
}
