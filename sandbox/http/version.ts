/**
 * What `/version` says. The number is that of the API whose behaviour is followed, because clients derive from it
 * what they may ask for; the suffix says who is answering.
 */
export const serverVersion = {
  major: '1',
  minor: '35',
  gitVersion: 'v1.35.4+kruise',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'kruise/sandbox',
};
