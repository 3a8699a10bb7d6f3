/** What was sent is no review that could be answered. */
export class BadReviewError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BadReviewError";
  }
}
