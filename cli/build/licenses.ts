import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';

const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/**
 * The licenses of the packages whose code is in the programs, as one text: their terms require that it goes where the code goes.
 *
 * @param inputs paths of the bundled files, relative to `root`
 * @throws Error if a package has no file with its license
 */
export function licensesOf(root: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[0] ?? []));
  return [...folders]
    .sort(compareCodePoints)
    .map((folder) => {
      const path = join(root, folder);
      const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
        name: string;
        version: string;
      };
      const files = readdirSync(path).filter((file) => /^((un)?licen[sc]e|notice|copying)/i.test(file));
      if (files.length === 0) throw new Error(`${name} ${version} has no file with its license`);
      const texts = files
        .sort(compareCodePoints)
        .map((file) => readFileSync(join(path, file), 'utf8').trim());
      return `${name} ${version}\n\n${texts.join('\n\n')}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
