import type { Draft } from './draft.ts';

/** The bytes of a request as a binary string; `chunks`: sends the body chunked. */
export function bytesOf(
  { method, path, query, headers, body }: Draft,
  token: string,
  chunks: boolean,
): string {
  // No characters that end the request line early.
  const line = `${path}${query === '' ? '' : `?${query}`}`.replace(/[\s\u0000-\u001f]/g, '%20');
  const target = Buffer.from(line === '' ? '/' : line).toString('latin1');
  const bytes = Buffer.from(body).toString('latin1');
  const has = (name: string) => headers.some(([key]) => key === name);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: x',
    ...(has('Authorization') ? [] : [`Authorization: Bearer ${token}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(chunks ? ['Transfer-Encoding: chunked'] : bytes === '' ? [] : [`Content-Length: ${bytes.length}`]),
  ];
  const content = chunks
    ? `${bytes === '' ? '' : `${bytes.length.toString(16)}\r\n${bytes}\r\n`}0\r\n\r\n`
    : bytes;
  return `${lines.join('\r\n')}\r\n\r\n${content}`;
}
