export interface Token {
  readonly type: "identifier" | "in" | "notin" | "=" | "==" | "!=" | "!" | ">" | "<" | "(" | ")" | "," | "end";
  readonly text: string;
}

const end: Token = { type: "end", text: "" };

/** Splits a label selector into tokens: operators, and words between them. */
export class SelectorLexer {
  readonly #text: string;
  #position = 0;
  #ahead: Token | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  peek(): Token {
    return (this.#ahead ??= this.#scan());
  }

  next(): Token {
    const token = this.peek();
    this.#ahead = undefined;
    return token;
  }

  #scan(): Token {
    const text = this.#text;
    while (isSpace(text.charCodeAt(this.#position))) this.#position++;
    const start = this.#position;
    if (start >= text.length) return end;
    const symbol = symbolAt(text, start);
    if (symbol) {
      this.#position += symbol.text.length;
      return symbol;
    }
    while (this.#position < text.length && !isSpace(text.charCodeAt(this.#position))) {
      if (symbolAt(text, this.#position)) break;
      this.#position++;
    }
    const word = text.slice(start, this.#position);
    if (word === "in" || word === "notin") return { type: word, text: word };
    return { type: "identifier", text: word };
  }
}

export function isReservedForSets(token: Token): boolean {
  return token.type === "in" || token.type === "notin";
}

function symbolAt(text: string, position: number): Token | undefined {
  const character = text[position];
  switch (character) {
    case "=":
      return text[position + 1] === "=" ? { type: "==", text: "==" } : { type: "=", text: "=" };
    case "!":
      return text[position + 1] === "=" ? { type: "!=", text: "!=" } : { type: "!", text: "!" };
    case ">":
    case "<":
    case "(":
    case ")":
    case ",":
      return { type: character, text: character };
    default:
      return undefined;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
