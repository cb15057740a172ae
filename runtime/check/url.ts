import { isIP } from 'node:net';
import { argumentsIn, fill, piecesOf } from './template.ts';
import type { Piece, Values } from './template.ts';

/** A URL with places for arguments in host, path and query, in the form in which it is sent. */
export interface UrlTemplate {
  /** `http://` or `https://`. */
  scheme: string;
  host: Piece[];
  /** With its colon; empty where it is the scheme's own. */
  port: string;
  path: Piece[];
  /** With its question mark; empty where there is none. */
  search: Piece[];
}

const FORM = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/i;
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]+)(?::([0-9]{1,5}))?$/;
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Reads a URL of the configuration; else says what keeps it from being one. */
export function parseUrl(text: string): { template: UrlTemplate } | { problem: string } {
  if (!/^[!-~]*$/.test(text) || text.includes('\\')) {
    return { problem: 'must hold neither blanks nor backslashes, and other than ASCII as %-escapes only' };
  }
  const parts = FORM.exec(text);
  if (parts === null) return { problem: 'must begin with http:// or https://' };
  const [, scheme = '', authority = '', path = '', search = '', fragment] = parts;
  if (authority.includes('@')) return { problem: 'must not hold a user name or password' };
  if (fragment !== undefined) return { problem: 'must not have a fragment' };
  const [, host, port] = AUTHORITY.exec(authority) ?? [];
  if (host === undefined) {
    return {
      problem:
        'must have a host and a port that is a number; placeholders stand in the host, the path and the query',
    };
  }
  const secure = scheme.toLowerCase() === 'https';
  const template: UrlTemplate = {
    scheme: secure ? 'https://' : 'http://',
    host: piecesOf(host).map((piece) => (typeof piece === 'string' ? piece.toLowerCase() : piece)),
    port: port === undefined || Number(port) === (secure ? 443 : 80) ? '' : `:${port}`,
    path: piecesOf(path === '' ? '/' : path),
    search: piecesOf(search),
  };
  const texts = [...template.host, ...template.path, ...template.search].filter((p) => typeof p === 'string');
  if (texts.some((literal) => /[{}]/.test(literal))) {
    return { problem: 'has a brace that belongs to no placeholder: one is {name}, of letters, digits and _' };
  }
  if (texts.some((literal) => /%(?![0-9A-Fa-f]{2})/.test(literal))) {
    return { problem: 'has a % that two hexadecimal digits do not follow' };
  }
  const sample = textOf(template, (pieces) => fill(pieces, new Map(), () => 'x'));
  if (isNormal(sample)) return { template };
  if (!URL.canParse(sample)) return { problem: 'has a host or port that is none' };
  const hint = argumentsIn(text).length === 0 ? `: ${new URL(sample).href}` : '';
  return { problem: `is read as another URL than is written${hint}` };
}

/** The address that stands in place of a host's name; undefined where there is a name. */
export function addressIn({ host }: UrlTemplate): string | undefined {
  const [literal, ...more] = host;
  if (typeof literal !== 'string' || more.length > 0) return undefined;
  const address = withoutBrackets(literal);
  return isIP(address) === 0 ? undefined : address;
}

export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** The URL with the values in it, or why they do not fit, as a sentence. */
export function fillUrl(template: UrlTemplate, values: Values): { url: string } | { refusal: string } {
  const inHost = template.host.filter((piece) => typeof piece !== 'string');
  for (const { arg } of inHost) {
    if (!LABEL.test(values.get(arg) ?? '')) {
      const form = 'must be a DNS label: a-z, 0-9 and - within, at most 63 characters';
      return { refusal: `the argument ${arg} stands in a host name and ${form}` };
    }
  }
  for (const piece of template.path) {
    // Servers decode %2F and then walk up.
    if (typeof piece !== 'string' && (values.get(piece.arg) ?? '').split(/[/\\]/).some(isDots)) {
      return {
        refusal: `the argument ${piece.arg} stands in a path and must not hold . or .. as a part of it`,
      };
    }
  }
  const host = fill(template.host, values, (value) => value);
  if (inHost.length > 0 && (isIP(host) !== 0 || !isHostName(host))) {
    return { refusal: 'the arguments make no host name' };
  }
  const url = textOf(template, (pieces) => fill(pieces, values, pieces === template.host ? String : encode));
  return isNormal(url) ? { url } : { refusal: 'the arguments make a URL that would be read as another one' };
}

/** Percent-encodes a value for a path or a query, so that nothing in it delimits anything. */
export function encode(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function textOf(
  { scheme, host, port, path, search }: UrlTemplate,
  write: (pieces: Piece[]) => string,
): string {
  return `${scheme}${write(host)}${port}${write(path)}${write(search)}`;
}

/** The parser that requests are sent by changes nothing in it: no 127.1, no `..`, no host in other letters. */
function isNormal(text: string): boolean {
  return URL.canParse(text) && new URL(text).href === text;
}

function isDots(part: string): boolean {
  return part === '.' || part === '..';
}

function isHostName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => label !== '' && label.length <= 63);
}
