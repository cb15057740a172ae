import { readFileSync } from 'node:fs';
import { format, type FormatConfig } from 'oxfmt';
import { repositoryPath } from './schema.ts';

const options = JSON.parse(readFileSync(repositoryPath('.oxfmtrc.json'), 'utf8')) as FormatConfig;

/** The text of one file as `npm run format` lays it out: by the path's ending. Throws for a text that does not parse. */
export async function layOut(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, options);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  return code;
}
