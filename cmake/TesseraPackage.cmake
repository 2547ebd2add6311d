# Install rules that belong to no single folder, and the relocatable archive.
