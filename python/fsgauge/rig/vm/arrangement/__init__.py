"""Systems that take more than a disk and a mount: on which nodes what is done before they stand.
The steps are data, in the files of systems/; here they are read, checked and carried out."""
